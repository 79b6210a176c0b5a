import { randomUUID } from 'node:crypto';
import { z } from 'zod';

/**
 * A cart is a random id and its lines, kept in the shopper's cookie: `<id>~<slug>.<quantity>~…`. It holds no
 * prices. The shopper can edit it, so it is read entry by entry, and an invalid entry is
 * dropped without the others.
 */
export interface Cart {
  /** 122 random bits. With the contents it names the order, so it is sent to this browser only. */
  readonly id: string;
  readonly lines: readonly CartLine[];
}

export interface CartLine {
  readonly slug: string;
  readonly quantity: number;
}

/** More of one thing than this is a typing error or a joke; a CHECK on the order's lines holds the same bound. */
export const maxQuantity = 99;
/** A cookie has room for 4 kB, and a slug for 60 letters. */
export const maxLines = 50;

export const slugShape = z.string().regex(/^[a-z0-9-]{1,60}$/);

/** In one way of writing: the database takes capitals for the same id, and the order's name is made of this text. */
const cartId = z.uuid().toLowerCase();

export const cartShape = z.object({
  id: cartId,
  lines: z
    .array(z.object({ slug: slugShape, quantity: z.int().min(1).max(maxQuantity) }))
    .max(maxLines)
    .refine((lines) => new Set(lines.map(({ slug }) => slug)).size === lines.length, 'names a product twice')
    .readonly(),
});

export function newCart(lines: readonly CartLine[] = []): Cart {
  return { id: randomUUID(), lines };
}

export function parseCart(text: string | undefined): Cart {
  const [name = '', ...entries] = (text ?? '').split('~');
  const { data: id } = cartId.safeParse(name);
  const cart = id ? { id, lines: [] } : newCart();
  return entries.map(parseLine).reduce<Cart>((read, line) => (line ? addLine(read, line) : read), cart);
}

function parseLine(entry: string): CartLine | undefined {
  const [slug = '', digits = ''] = entry.split('.');
  const quantity = Number(digits);
  if (!slugShape.safeParse(slug).success) return undefined;
  // The product is wanted even where the quantity is not readable.
  if (!/^-?\d+$/.test(digits)) return { slug, quantity: 1 };
  return quantity > 0 ? { slug, quantity } : undefined;
}

export function serializeCart({ id, lines }: Cart): string {
  return [id, ...lines.map(({ slug, quantity }) => `${slug}.${quantity}`)].join('~');
}

export function addLine(cart: Cart, { slug, quantity }: CartLine): Cart {
  const before = cart.lines.find((line) => line.slug === slug)?.quantity ?? 0;
  return setQuantity(cart, slug, before + quantity);
}

/** A quantity of zero removes the line. A changed line keeps its place, so that the list does not jump. */
export function setQuantity(cart: Cart, slug: string, quantity: number): Cart {
  const line = { slug, quantity: Math.min(quantity, maxQuantity) };
  if (quantity < 1) return { ...cart, lines: cart.lines.filter((one) => one.slug !== slug) };
  const known = cart.lines.some((one) => one.slug === slug);
  if (known) return { ...cart, lines: cart.lines.map((one) => (one.slug === slug ? line : one)) };
  return cart.lines.length < maxLines ? { ...cart, lines: [...cart.lines, line] } : cart;
}
