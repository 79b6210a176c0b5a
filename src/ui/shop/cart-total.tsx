import type { Money } from '#payments/money.ts';
import { Amount } from '#ui/amount.tsx';

export function CartTotal({ total }: { total: Money }) {
  return (
    <>
      <dl className="grid gap-2 text-[0.9375rem]">
        <div className="flex items-baseline justify-between gap-4">
          <dt className="text-ink-soft">Subtotal</dt>
          <dd className="money">
            <Amount of={total} />
          </dd>
        </div>
        <div className="flex items-baseline justify-between gap-4">
          <dt className="text-ink-soft">Delivery</dt>
          <dd>Free</dd>
        </div>
        <div className="mt-2 flex items-baseline justify-between gap-4 border-line border-t pt-4 font-semibold text-lg">
          <dt>Total</dt>
          <dd className="money" aria-live="polite">
            <Amount of={total} />
          </dd>
        </div>
      </dl>
      <p className="mt-2 text-ink-soft text-sm leading-6">
        Your things stay in the cart until they are paid for.
      </p>
    </>
  );
}
