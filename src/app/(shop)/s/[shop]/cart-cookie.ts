import { cookies } from 'next/headers';
import { cache } from 'react';
import { orNotFound } from '#app/trpc/or-not-found.ts';
import { serverApi } from '#app/trpc/server.ts';
import { services } from '#server/services.ts';
import { type Cart, newCart, parseCart, serializeCart } from '#shop/cart.ts';

const nameOf = (slug: string) => `cart-${slug}`;

/** A month: long enough for a shopper who comes back. */
const keptSeconds = 30 * 24 * 60 * 60;

export async function readCart(slug: string): Promise<Cart> {
  return parseCart((await cookies()).get(nameOf(slug))?.value);
}

/**
 * Not readable by scripts, not sent with forms of other sites, and sent to the shop's own pages only. Next allows setting
 * cookies in server actions only, never while a page is rendered.
 */
export async function writeCart(slug: string, cart: Cart): Promise<void> {
  (await cookies()).set(nameOf(slug), serializeCart(cart), {
    httpOnly: true,
    sameSite: 'lax',
    secure: services().settings.PUBLIC_URL.startsWith('https:'),
    path: `/s/${slug}`,
    maxAge: keptSeconds,
  });
}

/** The cart of this request with prices, and without what has been paid for. */
export const loadCart = cache(async (slug: string) => {
  const api = await serverApi();
  return orNotFound(api.shop.cart({ slug, cart: await readCart(slug) }));
});

/** What is left of the cart, to be changed. A cart of which something was paid continues under a new id. */
export async function cartToChange(slug: string): Promise<Cart> {
  const { cart, spent } = await loadCart(slug);
  return spent ? newCart(cart.lines) : cart;
}
