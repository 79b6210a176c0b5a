import { expect, test } from 'vitest';
import { csvLine } from './csv.ts';

test.each([
  ['=1+1', "'=1+1"],
  ['+49 30', "'+49 30"],
  ['-5', "'-5"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
  ['plain', 'plain'],
  ['with, comma', '"with, comma"'],
  ['two\nlines', '"two\nlines"'],
])('%j cannot become a formula, nor leave its cell', (cell, written) => {
  expect(csvLine([cell])).toBe(`${written}\r\n`);
});

test('numbers stay numbers, nothing stays nothing', () => {
  expect(csvLine([-5, null, 'a'])).toBe('-5,,a\r\n');
});
