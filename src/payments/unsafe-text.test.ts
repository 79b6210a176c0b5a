import { expect, test } from 'vitest';
import { findUnsafeText, readableLength } from './unsafe-text.ts';

test.each([
  ['NUL', '\u0000'],
  ['half of a surrogate pair', '\ud83d'],
  ['a control character', '\u0007'],
  ['delete', '\u007f'],
  ['a C1 control character', '\u0085'],
  ['a right-to-left override', '\u202e'],
  ['a right-to-left mark', '\u200f'],
  ['an isolate', '\u2066'],
])('%s is found, by the path of its field', (_, character) => {
  expect(findUnsafeText({ reference: `invoice${character}1` })).toBe('reference');
  expect(findUnsafeText({ lines: [{ name: 'a' }, { name: character }] })).toBe('lines.1.name');
  expect(findUnsafeText(character)).toBe('input');
  expect(findUnsafeText({ [`a${character}`]: 1 })).toBe('input');
});

test.each([
  'Zoë & Søn GmbH, 東京 — «№ 7»',
  'emoji 👩‍👩‍👧 and 🇩🇪',
  'العربية and עברית, written plainly',
  'two lines\nwith a\ttab\r\n',
  'a line separator\u2028and a paragraph separator\u2029, which JSON and scripts write as they are',
])('%j is text', (text) => {
  expect(findUnsafeText({ reason: text, amountMinor: 1, tags: [text], nothing: null })).toBeUndefined();
});

test('a text is found however deep it is nested', () => {
  const depth = 100_000;
  const nested = (text: string) => JSON.parse(`${'['.repeat(1_000)}"${text}"${']'.repeat(1_000)}`);
  let deep: unknown = 'plain';
  for (let level = 0; level < depth; level += 1) deep = [deep];
  expect(findUnsafeText(deep)).toBeUndefined();
  expect(findUnsafeText(nested('\\u0000'))).toBe(Array(1_000).fill('0').join('.'));
});

test.each([
  ['spaces of no width', '\u200b\u200b\u200b\u200b\u200b'],
  ['joiners', '\u200d\u2060\u200c\ufeff\u00ad'],
  ['a Hangul filler', '\u3164'.repeat(5)],
  ['variation selectors and tags', '\ufe0f\u{e0101}\u{e0041}'],
  ['Braille without dots, and spaces', ' \u2800 \u2800\u00a0'],
])('a text of %s alone is empty', (_, text) => {
  expect(readableLength(text)).toBe(0);
});

test.each([
  ['The cup broke.', 14],
  ['壊れた', 3],
  [' a\u200bb ', 2],
])('%j has %d characters to read', (text, length) => {
  expect(readableLength(text)).toBe(length);
});
