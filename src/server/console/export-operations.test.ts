import { expect, test } from 'vitest';
import { line } from './export-operations.ts';

test('commas, quotes and line breaks stay within their cell', () => {
  expect(line(['a,b', 'say "hi"', 'two\nlines', 'plain'])).toBe('"a,b","say ""hi""","two\nlines",plain\r\n');
});

test('a reference that a spreadsheet would run is text', () => {
  expect(line(['=HYPERLINK("http://evil.example","pay")'])).toBe(
    `"'=HYPERLINK(""http://evil.example"",""pay"")"\r\n`,
  );
  expect(line(['+1', '-1', '@SUM(A1)', '\tx'])).toBe("'+1,'-1,'@SUM(A1),'\tx\r\n");
});
