import { cookies } from 'next/headers';
import { cache } from 'react';
import { orNotFound } from '#app/trpc/or-not-found.ts';
import { serverApi } from '#app/trpc/server.ts';
import { services } from '#server/services.ts';
import { type Cart, newCart, parseCart, serializeCart } from '#shop/cart.ts';

const isSecure = () => services().settings.PUBLIC_URL.startsWith('https:');

/** Over plain http, and before the prefix was used. */
const plainName = (slug: string) => `cart.${slug}`;

/** The prefix is the browser's promise that no other host of the domain, and no page over plain http, has set it. */
const cookieName = (slug: string) => (isSecure() ? `__Host-${plainName(slug)}` : plainName(slug));

/** A month: long enough for a shopper who comes back. */
const maxAgeSeconds = 30 * 24 * 60 * 60;

export async function readCart(slug: string): Promise<Cart> {
  const store = await cookies();
  return parseCart((store.get(cookieName(slug)) ?? store.get(plainName(slug)))?.value);
}

/**
 * The cookie is not readable by scripts, and not sent with forms of other sites. It is not confined to the shop's pages: Next
 * sends an action to the address that the page has by then, and after Checkout that is the pay form's. A second click would find
 * no cart there, and lead from the pay form to an empty one. Next allows setting cookies in server actions, not while a page is
 * rendered.
 */
export async function writeCart(slug: string, cart: Cart): Promise<void> {
  const store = await cookies();
  const secure = isSecure();
  store.set(cookieName(slug), serializeCart(cart), {
    httpOnly: true,
    sameSite: 'lax',
    secure,
    path: '/',
    maxAge: maxAgeSeconds,
  });
  if (secure) store.delete(plainName(slug));
}

/** The cart of this request, with prices and without the products that were paid for. */
export const loadCart = cache(async (slug: string) => {
  const api = await serverApi();
  return orNotFound(api.shop.cart({ slug, cart: await readCart(slug) }));
});

/** The unpaid part of the cart, to be changed. After a payment it has a new id, because the old one names that order. */
export async function cartToChange(slug: string): Promise<Cart> {
  const { cart, hasPaidOrder } = await loadCart(slug);
  return hasPaidOrder ? newCart(cart.lines) : cart;
}
