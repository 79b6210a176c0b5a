'use server';

import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { z } from 'zod';
import { readPostedForm } from '#app/posted-form.ts';
import { orNotFound } from '#app/trpc/or-not-found.ts';
import { serverApi } from '#app/trpc/server.ts';
import { addLine, maxQuantity, newCart, setQuantity, slugShape } from '#shop/cart.ts';
import { cartToChange, readCart, writeCart } from './cart-cookie.ts';

/**
 * The actions of the shop's forms. Each also works as a plain form post. In the cart a line is set to a quantity, so a
 * repeated request changes nothing, and the database makes one order of one cart.
 */
const shopForm = z.object({ shop: slugShape });
const quantity = z.coerce.number().int().min(0).max(maxQuantity);
const lineForm = shopForm.extend({ product: slugShape, quantity });

export async function addToCart(form: FormData): Promise<void> {
  const { shop, product, quantity } = readPostedForm(lineForm, form);
  const api = await serverApi();
  await orNotFound(api.shop.product({ slug: shop, product }));
  await writeCart(shop, addLine(await cartToChange(shop), { slug: product, quantity }));
  await showCart(shop);
}

export async function changeLine(form: FormData): Promise<void> {
  const { shop, product, quantity } = readPostedForm(lineForm, form);
  await writeCart(shop, setQuantity(await cartToChange(shop), product, quantity));
  await showCart(shop);
}

/** Removes from the cart what is no longer sold, after the shopper has seen the notice. */
export async function tidyCart(form: FormData): Promise<void> {
  const { shop } = readPostedForm(shopForm, form);
  const api = await serverApi();
  const cart = await cartToChange(shop);
  const { gone } = await api.shop.cart({ slug: shop, cart });
  await writeCart(shop, {
    ...cart,
    lines: cart.lines.filter((one) => !gone.some(({ slug }) => slug === one.slug)),
  });
  await showCart(shop);
}

export async function checkOut(form: FormData): Promise<void> {
  const { shop } = readPostedForm(shopForm, form);
  const api = await serverApi();
  const cart = await readCart(shop);
  // If the cookie was missing or broken, the cart has a new id, which is stored so that a retry places the same order.
  await writeCart(shop, cart);
  const placed = await api.shop.checkOut({ slug: shop, cart });
  switch (placed.kind) {
    case 'placed':
      return redirect(`/pay/${placed.orderId}`);
    case 'paid':
      return redirect(`/orders/${placed.orderId}`);
    case 'empty':
      return redirect(`/s/${shop}/cart`);
    case 'used_up':
      // The same contents under a new name, for the shopper to check out again.
      await writeCart(shop, newCart(cart.lines));
      return redirect(`/s/${shop}/cart`);
    case 'too_much':
      return redirect(`/s/${shop}/cart?too-much`);
  }
}

const purchaseForm = lineForm.extend({ cartId: z.uuid(), quantity: quantity.min(1) });

export async function buyNow(form: FormData): Promise<void> {
  const { shop, product, quantity, cartId } = readPostedForm(purchaseForm, form);
  const api = await serverApi();
  const cart = { id: cartId, lines: [{ slug: product, quantity }] };
  const placed = await api.shop.buyNow({ slug: shop, cart });
  if (placed.kind === 'placed') return redirect(`/pay/${placed.orderId}`);
  redirect(placed.kind === 'paid' ? `/orders/${placed.orderId}` : `/s/${shop}`);
}

/** With JavaScript the page stays. A plain form post redirects, so that a reload does not repeat it. */
async function showCart(shop: string): Promise<void> {
  if (!(await headers()).has('next-action')) redirect(`/s/${shop}/cart`);
}
