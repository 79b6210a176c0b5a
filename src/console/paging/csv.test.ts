import { expect, test } from 'vitest';
import { csvLine } from './csv.ts';

test.each([
  ['=1+1', "'=1+1"],
  ['+49 30', "'+49 30"],
  ['-5', "'-5"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
  ['a;=1+1', "a;'=1+1"],
  ['a; =1+1;@b', "a;' =1+1;'@b"],
  ['a\t=1', "a\t'=1"],
  ['a\n+1', '"a\n\'+1"'],
  [' =1', "' =1"],
  ['＝1+1', "'＝1+1"],
  ['semi;colon', 'semi;colon'],
  ['plain', 'plain'],
  ['with, comma', '"with, comma"'],
  ['two\nlines', '"two\nlines"'],
  ['a\u2028=1+1', '"a\u2028\'=1+1"'],
  ['a\u2029@b', '"a\u2029\'@b"'],
  ['two\u2028lines', '"two\u2028lines"'],
])('%j becomes neither a formula nor another cell', (cell, written) => {
  expect(csvLine([cell])).toBe(`${written}\r\n`);
});

test('numbers stay numbers, and null is an empty cell', () => {
  expect(csvLine([-5, null, 'a'])).toBe('-5,,a\r\n');
});
