import Link from 'next/link';
import { Amount } from '#ui/amount.tsx';
import { type LinesOfOrder, OrderLines } from '#ui/order-lines.tsx';

export function OrderSummary(props: {
  order: LinesOfOrder & { readonly id: string; readonly number: string };
  payee: string;
}) {
  const { order, payee } = props;
  return (
    <section aria-labelledby="summary-title">
      <h1 id="summary-title" className="wrap-anywhere text-ink-soft">
        Pay {payee}
      </h1>
      <p className="money mt-1 font-semibold text-4xl tracking-[-0.03em] sm:text-5xl">
        <Amount of={order.total} />
      </p>
      <div className="mt-6 border-line border-t pt-2 lg:mt-10">
        <OrderLines order={order} />
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
