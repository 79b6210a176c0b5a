import { Minus, Plus } from 'lucide-react';
import Link from 'next/link';
import type { FormEventHandler, ReactNode } from 'react';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { Amount } from '#ui/amount.tsx';

export type CartLine = Omit<RouterOutputs['shop']['cart']['lines'][number], 'art'> & {
  readonly art: ReactNode;
};

/** Each button sends the new quantity, so that a repeated request has the same result. */
export function CartLineRow(props: {
  shop: string;
  line: CartLine;
  action: (form: FormData) => Promise<void>;
  onSubmit: FormEventHandler<HTMLFormElement>;
}) {
  const { shop, line } = props;
  const { name, quantity, price } = line;
  return (
    <div className="grid grid-cols-[6rem_1fr] gap-x-5 sm:grid-cols-[8rem_1fr]">
      <div className="aspect-square rounded-xl bg-art-ground p-[8%]">{line.art}</div>
      <div className="flex min-w-0 flex-col">
        <div className="flex flex-wrap items-baseline justify-between gap-x-4">
          <Link
            href={`/s/${shop}/${line.slug}`}
            className="wrap-anywhere -my-2 inline-flex min-h-11 min-w-0 items-center font-medium text-[1.0625rem] tracking-tight underline-offset-4 hover:underline"
          >
            {name}
          </Link>
          <p className="money font-medium text-[1.0625rem]">
            <Amount of={{ ...price, amountMinor: price.amountMinor * quantity }} />
          </p>
        </div>
        <p className="money text-ink-soft text-sm">
          <Amount of={price} /> each
        </p>
        <form
          action={props.action}
          onSubmit={props.onSubmit}
          className="mt-auto flex flex-wrap items-center justify-between gap-x-4 gap-y-2 pt-3"
        >
          <input type="hidden" name="shop" value={shop} />
          <input type="hidden" name="product" value={line.slug} />
          <div className="flex items-center rounded-xl bg-surface shadow-[inset_0_0_0_1px_var(--line-strong)] forced-colors:border">
            <StepButton to={Math.max(quantity - 1, 1)} from={quantity} label={`One less: ${name}`}>
              <Minus className="size-4" aria-hidden="true" />
            </StepButton>
            <output aria-label={`Quantity of ${name}`} className="money min-w-8 text-center font-medium">
              {quantity}
            </output>
            <StepButton to={Math.min(quantity + 1, 99)} from={quantity} label={`One more: ${name}`}>
              <Plus className="size-4" aria-hidden="true" />
            </StepButton>
          </div>
          <button
            type="submit"
            name="quantity"
            value="0"
            className="-mr-3 min-h-11 rounded-lg px-3 text-ink-soft text-sm underline decoration-line-strong underline-offset-4 hover:text-ink"
          >
            Remove<span className="sr-only"> {name}</span>
          </button>
        </form>
      </div>
    </div>
  );
}

/** At its limit the button stays and keeps the focus, but has no effect. */
function StepButton(props: { to: number; from: number; label: string; children: ReactNode }) {
  return (
    <button
      type="submit"
      name="quantity"
      value={props.to}
      aria-disabled={props.to === props.from || undefined}
      aria-label={props.label}
      className="grid size-11 place-items-center rounded-xl hover:bg-sunken aria-disabled:cursor-default aria-disabled:text-line-strong aria-disabled:hover:bg-transparent"
    >
      {props.children}
    </button>
  );
}
