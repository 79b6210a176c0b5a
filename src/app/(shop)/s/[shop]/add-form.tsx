'use client';

import { Check, Plus } from 'lucide-react';
import { type MouseEvent, type ReactNode, useEffect, useState } from 'react';
import { SendTrouble } from '#app/send-trouble.tsx';
import { useSend } from '#app/use-send.ts';
import { buttonStyle } from '#ui/button-style.ts';
import { addToCart } from './actions.ts';
import { useAddToCount } from './cart-count.tsx';

/** Long enough to be read, short enough not to delay adding a second one. */
const confirmedForMs = 2_500;

/** `children` is a field for the quantity; without it the quantity is one. */
export function AddForm(props: {
  shop: string;
  product: { slug: string; name: string };
  primary?: boolean;
  children?: ReactNode;
}) {
  const { shop, product, primary = false } = props;
  const [added, setAdded] = useState(0);
  const addToCount = useAddToCount();
  const { onSubmit, busy, trouble } = useSend(addToCart, {
    // The count is optimistic; the confirmation waits for the response.
    onSend: (form) => addToCount(Number(form.get('quantity'))),
    onSuccess: () => setAdded((times) => times + 1),
  });
  useEffect(() => {
    if (added === 0) return;
    const timer = setTimeout(() => setAdded(0), confirmedForMs);
    return () => clearTimeout(timer);
  }, [added]);
  const confirmed = added > 0 && !trouble;

  return (
    <form action={addToCart} onSubmit={onSubmit} className="contents">
      <input type="hidden" name="shop" value={shop} />
      <input type="hidden" name="product" value={product.slug} />
      {props.children ?? <input type="hidden" name="quantity" value="1" />}
      <button
        type="submit"
        onClick={ignoreSecondClick}
        aria-busy={busy}
        className={`${buttonStyle(primary ? 'primary' : 'soft', primary ? 'large' : 'medium')} w-full`}
      >
        {confirmed ? (
          <Check className="size-4.5" strokeWidth={2.5} aria-hidden="true" />
        ) : (
          <Plus className="size-4.5" aria-hidden="true" />
        )}
        {confirmed ? 'Added' : 'Add to cart'}
        <span className="sr-only"> {product.name}</span>
      </button>
      <span role="status" className="sr-only">
        {confirmed && `${product.name} is in your cart.`}
      </span>
      <SendTrouble trouble={trouble} copy={troubleCopy} />
    </form>
  );
}

const troubleCopy = {
  offline: 'There is no connection. It is added as soon as the connection is back.',
  failed: 'That did not work, and nothing was added. Your cart is as it was.',
  outdated: 'The shop was updated after this page was loaded, and nothing was added.',
};

/** A double click adds one, not two. */
function ignoreSecondClick(event: MouseEvent) {
  if (event.detail > 1) event.preventDefault();
}
