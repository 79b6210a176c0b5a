'use client';

import { useOptimistic, useRef } from 'react';
import { SendTrouble } from '#app/send-trouble.tsx';
import { useSend } from '#app/use-send.ts';
import type { Currency } from '#payments/money.ts';
import { buttonStyle } from '#ui/button-style.ts';
import { type CartLine, CartLineRow } from '#ui/shop/cart-line.tsx';
import { CartTotal } from '#ui/shop/cart-total.tsx';
import { Spinner } from '#ui/spinner.tsx';
import { changeLine, checkOut } from '../actions.ts';
import { useAddToCount } from '../cart-count.tsx';

/** Changes are shown optimistically, until the server's response with its own prices replaces them. */
export function CartForm(props: { shop: string; currency: Currency; lines: readonly CartLine[] }) {
  const { shop, currency } = props;
  const addToCount = useAddToCount();
  const list = useRef<HTMLUListElement>(null);
  const [lines, setQuantity] = useOptimistic(props.lines, withQuantity);
  const change = useSend(changeLine, {
    allowConcurrent: true,
    onSend: (form) => {
      const changed = { slug: String(form.get('product')), quantity: Number(form.get('quantity')) };
      const before = lines.find(({ slug }) => slug === changed.slug)?.quantity ?? 0;
      addToCount(changed.quantity - before);
      setQuantity(changed);
      // The clicked button is removed with its line, so the list takes the focus, or the heading if the list goes too.
      if (changed.quantity === 0) (lines.length > 1 ? list.current : document.querySelector('h1'))?.focus();
    },
  });
  const order = useSend(checkOut);
  const trouble = change.trouble ?? order.trouble;
  const amountMinor = lines.reduce((sum, { price, quantity }) => sum + price.amountMinor * quantity, 0);

  return (
    <div className="mt-8 grid gap-x-16 gap-y-10 lg:grid-cols-[1fr_22rem]">
      <ul
        ref={list}
        tabIndex={-1}
        aria-label="In your cart"
        aria-busy={change.busy}
        className="divide-y divide-line self-start border-line border-y outline-none"
      >
        {lines.map((line) => (
          <li key={line.slug} className="py-6">
            <CartLineRow shop={shop} line={line} action={changeLine} onSubmit={change.onSubmit} />
          </li>
        ))}
      </ul>
      <div className="self-start lg:sticky lg:top-8">
        <section aria-label="Total" className="rounded-2xl bg-sunken p-6 dark:bg-surface">
          <CartTotal total={{ amountMinor, currency }} />
          <form action={checkOut} onSubmit={order.onSubmit} className="mt-6 grid">
            <input type="hidden" name="shop" value={shop} />
            <button
              type="submit"
              aria-disabled={order.busy || undefined}
              className={`${buttonStyle('primary', 'large')} w-full ${order.busy ? 'cursor-progress' : ''}`}
            >
              {order.busy && <Spinner />}
              {order.busy ? 'Opening the till…' : 'Checkout'}
            </button>
          </form>
        </section>
        {/* Below everything else, so that nothing moves when it comes and goes. */}
        {trouble && (
          <div className="mt-4 px-6">
            <SendTrouble trouble={trouble} copy={troubleCopy} />
          </div>
        )}
      </div>
    </div>
  );
}

const troubleCopy = {
  offline: 'There is no connection. It goes on as soon as the connection is back, and nothing was charged.',
  failed: 'That did not work. Your cart is as the list shows it, and nothing was charged.',
  outdated:
    'The shop was updated after this page was loaded. Your cart is as the list shows it, and nothing was charged.',
};

function withQuantity(
  lines: readonly CartLine[],
  { slug, quantity }: { slug: string; quantity: number },
): readonly CartLine[] {
  return lines
    .map((line) => (line.slug === slug ? { ...line, quantity } : line))
    .filter((line) => line.quantity > 0);
}
