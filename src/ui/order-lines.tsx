import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { Amount } from '#ui/amount.tsx';
import { Art } from '#ui/product-art.tsx';

export type LinesOfOrder = Pick<RouterOutputs['shop']['order'], 'total' | 'lines'>;

/** What was ordered, with the names and prices at that time. */
export function OrderLines({ order }: { order: LinesOfOrder }) {
  return (
    <dl className="text-[0.9375rem]">
      {order.lines.map((line) => (
        <div key={line.productId} className="flex items-center gap-4 py-2.5 print:py-1">
          <dt className="flex min-w-0 flex-1 items-center gap-4">
            <span className="size-12 shrink-0 rounded-lg bg-art-ground p-1 print:hidden">
              <Art name={line.art} />
            </span>
            <span className="wrap-anywhere min-w-0">
              {line.name}
              {line.quantity > 1 && <span className="money text-ink-faint"> × {line.quantity}</span>}
            </span>
          </dt>
          <dd className="money">
            <Amount of={line.amount} />
          </dd>
        </div>
      ))}
      <div className="mt-1 flex items-baseline justify-between gap-6 border-line border-t pt-4 pb-1 font-semibold print:pt-2">
        <dt>Total</dt>
        <dd className="money">
          <Amount of={order.total} />
        </dd>
      </div>
    </dl>
  );
}
