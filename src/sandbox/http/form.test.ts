import { describe, expect, test } from 'vitest';
import { canonicalForm, parseForm } from './form.ts';

const parsed = (text: string) => JSON.parse(JSON.stringify(parseForm(text)));

describe('parseForm', () => {
  test.each([
    ['amount=100&currency=eur', { amount: '100', currency: 'eur' }],
    ['metadata[order]=7&metadata[a b]=c%26d', { metadata: { order: '7', 'a b': 'c&d' } }],
    ['expand[]=a&expand[]=b', { expand: { 0: 'a', 1: 'b' } }],
    ['expand[0]=a&expand[1]=b', { expand: { 0: 'a', 1: 'b' } }],
    ['automatic_payment_methods[enabled]=true', { automatic_payment_methods: { enabled: 'true' } }],
    ['a[b][c]=1&a[b][d]=2', { a: { b: { c: '1', d: '2' } } }],
    ['a%5Bb%5D=1', { a: { b: '1' } }],
    ['', {}],
  ])('reads %s', (text, expected) => {
    expect(parsed(text)).toEqual(expected);
  });

  test('a parameter named like a prototype changes no other object', () => {
    const form = parseForm('__proto__[polluted]=1&constructor[prototype][polluted]=1');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(Object.keys(form)).toEqual(['__proto__', 'constructor']);
  });
});

describe('canonicalForm', () => {
  test('does not depend on the order of parameters', () => {
    const one = canonicalForm(parseForm('a=1&m[x]=1&m[y]=2'));
    expect(canonicalForm(parseForm('m[y]=2&m[x]=1&a=1'))).toBe(one);
  });

  test.each([
    ['a=1', 'a=2'],
    ['a=1', 'a[0]=1'],
    ['a=1', 'a=1&b='],
    ['a=%22%2C%22b%22%3A%22', 'a=&b='],
  ])('distinguishes %s from %s', (one, other) => {
    expect(canonicalForm(parseForm(one))).not.toBe(canonicalForm(parseForm(other)));
  });
});
