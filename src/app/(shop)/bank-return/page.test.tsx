import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import BankReturnPage from './page.tsx';

test('a shopper who comes back is not promised a charge: at their bank they may have refused it', () => {
  const text = renderToStaticMarkup(<BankReturnPage />).replaceAll(/<[^>]*>/g, '');
  expect(text).toContain('whether the payment went through');
  expect(text).toContain('once at most');
  expect(text).not.toMatch(/will be charged/i);
});
