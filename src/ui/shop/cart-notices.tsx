import Link from 'next/link';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { buttonStyle } from '../button-style.ts';
import { Notice } from '../notice.tsx';

type Cart = RouterOutputs['shop']['cart'];

/** What the shopper should know before they pay for this cart. */
export function CartNotices(
  props: Pick<Cart, 'gone' | 'pending' | 'underReview' | 'paid'> & {
    shop: { slug: string };
    tidy: (form: FormData) => Promise<void>;
    tooMuch: boolean;
  },
) {
  const { gone, pending, underReview, paid } = props;
  return (
    <div className="mt-6 grid gap-3 empty:hidden">
      {pending.map((order) => (
        <Notice key={order.id} tone="unknown" title="A payment for this cart is being checked with the bank.">
          Do not pay for the same things again. What turns out to be paid leaves the cart by itself.{' '}
          <OrderLink order={order} />
        </Notice>
      ))}
      {underReview.map((order) => (
        <Notice key={order.id} tone="unknown" title="A payment for this cart is being checked by the shop.">
          It was charged after it had been given up, and is either kept as paid or sent back. Do not pay for
          the same things before that is clear. <OrderLink order={order} />
        </Notice>
      ))}
      {paid && (
        <Notice tone="ok" title="What you paid for has left the cart.">
          <OrderLink order={paid} />
        </Notice>
      )}
      {gone.length > 0 && (
        <Notice tone="warn" title={goneTitle(gone)}>
          It is not part of the total.
          <form action={props.tidy}>
            <input type="hidden" name="shop" value={props.shop.slug} />
            <button type="submit" className={`${buttonStyle('secondary', 'small')} mt-2`}>
              Remove it from the cart
            </button>
          </form>
        </Notice>
      )}
      {props.tooMuch && (
        <Notice tone="warn" title="This is more than one payment can carry.">
          Order some of it now and the rest afterwards.
        </Notice>
      )}
    </div>
  );
}

function goneTitle(gone: Cart['gone']): string {
  const names = gone.flatMap(({ name }) => name ?? []);
  if (names.length === gone.length) return `No longer sold: ${names.join('; ')}.`;
  return gone.length === 1
    ? 'One thing in your cart is not sold here any more.'
    : `${gone.length} things in your cart are not sold here any more.`;
}

function OrderLink({ order }: { order: Cart['pending'][number] }) {
  return (
    <Link
      href={`/orders/${order.id}`}
      className="inline-flex min-h-6 items-center underline underline-offset-4 pointer-coarse:min-h-11"
    >
      See order <span className="ml-1 font-mono">{order.number}</span>
    </Link>
  );
}
