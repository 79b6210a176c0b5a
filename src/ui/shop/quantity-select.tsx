'use client';

const choices = Array.from({ length: 10 }, (_, index) => index + 1);

/** A plain select: it works without JavaScript. More than ten can be chosen in the cart. */
export function QuantitySelect(props: { value: number; onChange: (quantity: number) => void }) {
  return (
    <label className="grid gap-1.5 text-sm">
      <span className="sr-only">Quantity</span>
      <select
        name="quantity"
        value={props.value}
        onChange={(event) => props.onChange(Number(event.target.value))}
        className="money h-13 rounded-xl border border-line-strong bg-surface px-4 text-base"
      >
        {choices.map((quantity) => (
          <option key={quantity} value={quantity}>
            {quantity}
          </option>
        ))}
      </select>
    </label>
  );
}
