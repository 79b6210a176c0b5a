import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addLine, cartShape, maxLines, newCart, parseCart, serializeCart, setQuantity } from './cart.ts';

const id = '6d2a1f0e-5a43-4b6e-9a5b-0f6a2b7c8d9e';

describe('a cart in a cookie', () => {
  test('comes back as it was written', () => {
    const cart = {
      id,
      lines: [
        { slug: 'mug', quantity: 2 },
        { slug: 'hand-grinder', quantity: 1 },
      ],
    };
    expect(parseCart(serializeCart(cart))).toEqual(cart);
  });

  test.each([
    [`${id}~mug.2~<script>.1~kettle.1`, 'an entry that is no slug'],
    [`${id}~mug.2~~kettle.1~`, 'empty entries'],
    [`${id}~mug.2~dripper.0~kettle.1~bag.-4`, 'nothing and less than nothing'],
    [`${id}~mug.1~kettle.1~mug.1`, 'a thing named twice'],
  ])('%s: %s costs nothing that is valid', (text) => {
    expect(parseCart(text)).toEqual({
      id,
      lines: [
        { slug: 'mug', quantity: 2 },
        { slug: 'kettle', quantity: 1 },
      ],
    });
  });

  test.each([
    ['5000', 99],
    ['99999999999999999999', 99],
    ['2.5', 2],
    ['many', 1],
    ['', 1],
    ['1e9', 1],
  ])('a quantity of %j is %i', (quantity, understood) => {
    expect(parseCart(`${id}~mug.${quantity}`).lines).toEqual([{ slug: 'mug', quantity: understood }]);
  });

  test('whose name was tampered with keeps its lines under a new name', () => {
    const cart = parseCart('me~mug.1');
    expect(cart.lines).toEqual([{ slug: 'mug', quantity: 1 }]);
    expect(cart.id).not.toBe('me');
    expect(parseCart('me~mug.1').id).not.toBe(cart.id);
  });

  test('any text in the cookie is read as a cart', () => {
    const hostile = fc.oneof(
      fc.string(),
      fc.string().map((text) => `${id}~${text}`),
    );
    fc.assert(fc.property(hostile, (text) => void cartShape.parse(parseCart(text))));
    const long = Array.from({ length: 400 }, (_, n) => `thing-${n}.1`).join('~');
    expect(parseCart(`${id}~${long}`).lines).toHaveLength(maxLines);
  });
});

describe('changing a cart', () => {
  const cart = addLine(addLine(newCart(), { slug: 'mug', quantity: 1 }), { slug: 'kettle', quantity: 1 });

  test('adding the same thing adds up, to at most 99', () => {
    expect(addLine(cart, { slug: 'mug', quantity: 3 }).lines[0]).toEqual({ slug: 'mug', quantity: 4 });
    expect(addLine(cart, { slug: 'mug', quantity: 99 }).lines[0]).toEqual({ slug: 'mug', quantity: 99 });
  });

  test('a changed line keeps its place, and none of it removes it', () => {
    expect(setQuantity(cart, 'mug', 7).lines.map(({ slug }) => slug)).toEqual(['mug', 'kettle']);
    expect(setQuantity(cart, 'mug', 0).lines.map(({ slug }) => slug)).toEqual(['kettle']);
    expect(setQuantity(cart, 'lamp', 0)).toEqual(cart);
  });
});

describe('a cart in a request', () => {
  const line = { slug: 'mug', quantity: 1 };

  test('names a product once: an order has one line for it', () => {
    expect(cartShape.safeParse({ id, lines: [line, { ...line, quantity: 2 }] }).success).toBe(false);
    expect(cartShape.safeParse({ id, lines: [line, { ...line, slug: 'kettle' }] }).success).toBe(true);
  });

  test('has one name, in capitals or not: it names the order', () => {
    expect(cartShape.parse({ id: id.toUpperCase(), lines: [] }).id).toBe(id);
    expect(parseCart(`${id.toUpperCase()}~mug.1`).id).toBe(id);
  });
});
