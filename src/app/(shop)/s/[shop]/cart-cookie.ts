import { cookies } from 'next/headers';
import { cache } from 'react';
import { type Cart, newCart, parseCart, serializeCart } from '#shop/cart.ts';
import { house } from '#server/services.ts';
import { orNotFound } from '#app/trpc/or-not-found.ts';
import { serverApi } from '#app/trpc/server.ts';

const nameOf = (slug: string) => `cart-${slug}`;

/** As long as people remember what they put there. */
const keptSeconds = 30 * 24 * 60 * 60;

export async function readCart(slug: string): Promise<Cart> {
  return parseCart((await cookies()).get(nameOf(slug))?.value);
}

/**
 * Scripts have no business with it, other sites can not send a form in its name, and only the shop's own pages get it.
 * Cookies may be set by server actions only, never while a page is rendered.
 */
export async function writeCart(slug: string, cart: Cart): Promise<void> {
  (await cookies()).set(nameOf(slug), serializeCart(cart), {
    httpOnly: true,
    sameSite: 'lax',
    secure: house().settings.PUBLIC_URL.startsWith('https:'),
    path: `/s/${slug}`,
    maxAge: keptSeconds,
  });
}

/** The cart of this request as the shop sees it: priced, and without what has been paid for. */
export const loadCart = cache(async (slug: string) => {
  const api = await serverApi();
  return orNotFound(api.shop.cart({ slug, cart: await readCart(slug) }));
});

/** What is left of the cart, to be changed. A cart of which something was paid goes on under a new name. */
export async function cartToChange(slug: string): Promise<Cart> {
  const { cart, spent } = await loadCart(slug);
  return spent ? newCart(cart.lines) : cart;
}
