'use client';

import { Check, Plus } from 'lucide-react';
import { type MouseEvent, type ReactNode, useEffect, useState } from 'react';
import { buttonStyle } from '#ui/button-style.ts';
import { Mishap } from '#ui/notice.tsx';
import { useSend } from '#app/use-send.ts';
import { addToCart } from './actions.ts';
import { useAddToCount } from './cart-count.tsx';

/** Long enough to be read, short enough that a second one can be added without thinking about it. */
const saidForMs = 2_500;

/** `children` is what chooses the quantity, where there is a choice; on the shelf it is one. */
export function AddForm(props: {
  shop: string;
  product: { slug: string; name: string };
  primary?: boolean;
  children?: ReactNode;
}) {
  const { shop, product, primary = false } = props;
  const [added, setAdded] = useState(0);
  const addToCount = useAddToCount();
  const { onSubmit, busy, lost } = useSend(addToCart, {
    // The count may run ahead of the server; the words wait until it is true.
    meanwhile: (form) => addToCount(Number(form.get('quantity'))),
    done: () => setAdded((times) => times + 1),
  });
  useEffect(() => {
    if (added === 0) return;
    const timer = setTimeout(() => setAdded(0), saidForMs);
    return () => clearTimeout(timer);
  }, [added]);
  const said = added > 0 && !lost;

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
        {said ? (
          <Check className="size-4.5" strokeWidth={2.5} aria-hidden="true" />
        ) : (
          <Plus className="size-4.5" aria-hidden="true" />
        )}
        {said ? 'Added' : 'Add to cart'}
        <span className="sr-only"> {product.name}</span>
      </button>
      <span role="status" className="sr-only">
        {said && `${product.name} is in your cart.`}
      </span>
      {lost && <Mishap>There was no connection, and nothing was added. Your cart is as it was.</Mishap>}
    </form>
  );
}

/** The second half of a double click is a habit and not a wish for two. */
function ignoreSecondClick(event: MouseEvent) {
  if (event.detail > 1) event.preventDefault();
}
