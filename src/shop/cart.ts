import { randomUUID } from 'node:crypto';
import { z } from 'zod';

/**
 * A cart is a random name and what is wanted, and lives in the shopper's cookie: `<id>~<slug>.<quantity>~…`. It holds no
 * prices. Whatever is written there by somebody else's hand is read one entry at a time, so that a broken entry costs
 * that entry and nothing more.
 */
export interface Cart {
  /** 122 random bits. With the contents it names the order, so it is told to nobody but its cookie. */
  readonly id: string;
  readonly lines: readonly WantedLine[];
}

export interface WantedLine {
  readonly slug: string;
  readonly quantity: number;
}

/** More of one thing than this is a typing error or a joke; a CHECK on the order's lines holds the same bound. */
export const maxQuantity = 99;
/** A cookie has room for 4 kB, and a slug for 60 letters. */
export const maxLines = 50;

export const slugShape = z.string().regex(/^[a-z0-9-]{1,60}$/);

export const cartShape = z.object({
  id: z.uuid(),
  lines: z
    .array(z.object({ slug: slugShape, quantity: z.int().min(1).max(maxQuantity) }))
    .max(maxLines)
    .readonly(),
});

export function newCart(lines: readonly WantedLine[] = []): Cart {
  return { id: randomUUID(), lines };
}

export function parseCart(text: string | undefined): Cart {
  const [name = '', ...entries] = (text ?? '').split('~');
  const cart = z.uuid().safeParse(name).success ? { id: name, lines: [] } : newCart();
  return entries.map(parseLine).reduce<Cart>((read, line) => (line ? addLine(read, line) : read), cart);
}

function parseLine(entry: string): WantedLine | undefined {
  const [slug = '', digits = ''] = entry.split('.');
  const quantity = Number(digits);
  if (!slugShape.safeParse(slug).success) return undefined;
  // That the thing is wanted is plain even where the number is not.
  if (!/^-?\d+$/.test(digits)) return { slug, quantity: 1 };
  return quantity > 0 ? { slug, quantity } : undefined;
}

export function serializeCart({ id, lines }: Cart): string {
  return [id, ...lines.map(({ slug, quantity }) => `${slug}.${quantity}`)].join('~');
}

export function addLine(cart: Cart, { slug, quantity }: WantedLine): Cart {
  const before = cart.lines.find((line) => line.slug === slug)?.quantity ?? 0;
  return setQuantity(cart, slug, before + quantity);
}

/** None of it removes the line. A line keeps its place, so that a list does not jump under the finger. */
export function setQuantity(cart: Cart, slug: string, quantity: number): Cart {
  const line = { slug, quantity: Math.min(quantity, maxQuantity) };
  if (quantity < 1) return { ...cart, lines: cart.lines.filter((one) => one.slug !== slug) };
  const known = cart.lines.some((one) => one.slug === slug);
  if (known) return { ...cart, lines: cart.lines.map((one) => (one.slug === slug ? line : one)) };
  return cart.lines.length < maxLines ? { ...cart, lines: [...cart.lines, line] } : cart;
}
