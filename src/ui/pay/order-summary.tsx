import Link from 'next/link';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { Amount } from '#ui/amount.tsx';
import { Art } from '#ui/product-art.tsx';

type OrderLines = Pick<RouterOutputs['shop']['order'], 'number' | 'total' | 'lines'>;

function OrderLinesList({ order }: { order: OrderLines }) {
  return (
    <dl className="text-[0.9375rem]">
      {order.lines.map((line) => (
        <div key={line.productId} className="flex items-center gap-4 py-2.5">
          <dt className="flex min-w-0 flex-1 items-center gap-4">
            <span className="size-12 shrink-0 rounded-lg bg-art-ground p-1">
              <Art name={line.art} />
            </span>
            <span>
              {line.name}
              {line.quantity > 1 && <span className="money text-ink-faint"> × {line.quantity}</span>}
            </span>
          </dt>
          <dd className="money">
            <Amount of={line.amount} />
          </dd>
        </div>
      ))}
      <div className="mt-1 flex items-baseline justify-between gap-6 border-line border-t pt-4 font-semibold">
        <dt>Total</dt>
        <dd className="money">
          <Amount of={order.total} />
        </dd>
      </div>
    </dl>
  );
}

export function OrderSummary(props: { order: OrderLines & { readonly id: string }; payee: string }) {
  const { order, payee } = props;
  return (
    <section aria-labelledby="summary-title">
      <h1 id="summary-title" className="text-ink-soft">
        Pay {payee}
      </h1>
      <p className="money mt-1 font-semibold text-4xl tracking-[-0.03em] sm:text-5xl">
        <Amount of={order.total} />
      </p>
      <div className="mt-6 border-line border-t pt-2 lg:mt-10">
        <OrderLinesList order={order} />
      </div>
      <p className="mt-2 flex flex-wrap items-center gap-x-3 text-ink-faint text-sm">
        <span>
          Order <span className="font-mono text-ink-soft">{order.number}</span>
        </span>
        <Link
          href={`/orders/${order.id}`}
          prefetch={false}
          className="inline-flex min-h-11 items-center underline decoration-line-strong underline-offset-4 hover:text-ink"
        >
          See or cancel it
        </Link>
      </p>
    </section>
  );
}
