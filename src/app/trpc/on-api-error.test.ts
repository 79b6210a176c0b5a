import { TRPCClientError } from '@trpc/client';
import { afterEach, expect, test, vi } from 'vitest';
import { onQueryError, signInAgain } from './on-api-error.ts';
import { takeShopLeft } from './shop-left.ts';

afterEach(() => vi.unstubAllGlobals());

test('a lost session leads to the sign-in, and from there back to the page with its filters', () => {
  const address = new URL(
    signInAgain({ pathname: '/admin/operations', search: '?status=unknown&sort=age' }),
    'http://shop',
  );
  expect(address.pathname).toBe('/admin/sign-in');
  expect(address.searchParams.get('next')).toBe('/admin/operations?status=unknown&sort=age');
  expect(address.searchParams.has('ended')).toBe(true);
});

test('a page of a shop that is no longer open is loaded again, and the next one says so once', () => {
  const kept = new Map<string, string>();
  const sessionStorage = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
  };
  const reload = vi.fn();
  vi.stubGlobal('window', { location: { reload }, sessionStorage });
  const failed = (code: string, problem: object | null) =>
    TRPCClientError.from({ error: { code: -32_000, message: 'Refused', data: { code, problem } } } as never);
  onQueryError(failed('PRECONDITION_FAILED', { code: 'of a key' }));
  onQueryError(failed('FORBIDDEN', null));
  expect([reload.mock.calls.length, takeShopLeft(() => sessionStorage)]).toEqual([0, false]);
  onQueryError(failed('PRECONDITION_FAILED', null));
  expect(reload).toHaveBeenCalledOnce();
  expect(takeShopLeft(() => sessionStorage)).toBe(true);
  expect(takeShopLeft(() => sessionStorage)).toBe(false);
});
