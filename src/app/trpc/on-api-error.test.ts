import { expect, test } from 'vitest';
import { signInAgain } from './on-api-error.ts';

test('a lost session leads to the sign-in, and from there back to the page with its filters', () => {
  const address = new URL(
    signInAgain({ pathname: '/admin/operations', search: '?status=unknown&sort=age' }),
    'http://shop',
  );
  expect(address.pathname).toBe('/admin/sign-in');
  expect(address.searchParams.get('next')).toBe('/admin/operations?status=unknown&sort=age');
  expect(address.searchParams.has('ended')).toBe(true);
});
