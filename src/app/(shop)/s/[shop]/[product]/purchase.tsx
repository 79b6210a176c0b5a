'use client';

import { useState } from 'react';
import { SendTrouble } from '#app/send-trouble.tsx';
import { useSend } from '#app/use-send.ts';
import { buttonStyle } from '#ui/button-style.ts';
import { QuantitySelect } from '#ui/shop/quantity-select.tsx';
import { Spinner } from '#ui/spinner.tsx';
import { buyNow } from '../actions.ts';
import { AddForm } from '../add-form.tsx';

/** A form that adds to the cart and one that buys at once. Both send the chosen quantity. */
export function Purchase(props: { shop: string; product: { slug: string; name: string }; cartId: string }) {
  const { shop, product, cartId } = props;
  const [quantity, setQuantity] = useState(1);
  const { onSubmit, busy, trouble } = useSend(buyNow);
  return (
    <div className="mt-8 grid gap-3">
      <div className="grid grid-cols-[auto_1fr] items-end gap-3">
        <AddForm shop={shop} product={product} primary>
          <QuantitySelect value={quantity} onChange={setQuantity} />
        </AddForm>
      </div>
      <form action={buyNow} onSubmit={onSubmit} className="grid">
        <input type="hidden" name="shop" value={shop} />
        <input type="hidden" name="product" value={product.slug} />
        <input type="hidden" name="cartId" value={cartId} />
        <input type="hidden" name="quantity" value={quantity} />
        <button
          type="submit"
          aria-disabled={busy || undefined}
          className={`${buttonStyle('secondary', 'large')} w-full ${busy ? 'cursor-progress' : ''}`}
        >
          {busy && <Spinner />}
          {busy ? 'Opening the till…' : 'Buy now'}
        </button>
      </form>
      <SendTrouble trouble={trouble} copy={troubleCopy} />
    </div>
  );
}

const troubleCopy = {
  offline: 'There is no connection. The till opens as soon as it is back; nothing was charged.',
  failed: 'That did not work. Nothing was ordered and nothing was charged.',
  outdated: 'The shop was updated after this page was loaded. Nothing was ordered and nothing was charged.',
};
