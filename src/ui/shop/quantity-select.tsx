'use client';

import { ChevronDown } from 'lucide-react';

const choices = Array.from({ length: 10 }, (_, index) => index + 1);

/** A plain select: it works without JavaScript. More than ten can be chosen in the cart. */
export function QuantitySelect(props: { value: number; onChange: (quantity: number) => void }) {
  return (
    <label className="relative grid text-sm">
      <span className="sr-only">Quantity</span>
      <select
        name="quantity"
        value={props.value}
        onChange={(event) => props.onChange(Number(event.target.value))}
        className="money h-13 appearance-none rounded-xl border border-line-strong bg-surface pr-10 pl-4 text-base"
      >
        {choices.map((quantity) => (
          <option key={quantity} value={quantity}>
            {quantity}
          </option>
        ))}
      </select>
      <ChevronDown
        className="pointer-events-none absolute inset-y-0 right-3.5 my-auto size-4 text-ink-faint"
        aria-hidden="true"
      />
    </label>
  );
}
