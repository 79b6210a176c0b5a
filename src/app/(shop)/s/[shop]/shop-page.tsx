import type { ReactNode } from 'react';
import { ShopFrame } from '#ui/shop/shop-frame.tsx';
import { loadCart } from './cart-cookie.ts';
import { CartCount, CartLink } from './cart-count.tsx';

/** A page of a shop with the cart in its header. */
export async function ShopPage(props: {
  shop: { slug: string; name: string };
  isCart?: boolean;
  children: ReactNode;
}) {
  const { shop, isCart, children } = props;
  const { count } = await loadCart(shop.slug);
  return (
    <CartCount count={count}>
      <ShopFrame shop={shop} trail={<CartLink shop={shop.slug} current={isCart} />}>
        {children}
      </ShopFrame>
    </CartCount>
  );
}
