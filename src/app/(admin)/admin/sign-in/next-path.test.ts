import { describe, expect, test } from 'vitest';
import { nextPath } from './next-path.ts';

describe('a page of the console is opened after signing in, with its parameters', () => {
  test.each([
    '/admin',
    '/admin/operations?status=unknown&sort=unknown',
    '/admin/payments/0197a4c9-11d0-7f02-8a6b-54c0e2d9b713',
    '/admin/invitation/abc_DEF-123',
    '/admin?range=1h',
    '/admin/operations?q=https%3A%2F%2Fshop.example',
  ])('%s', (next) => {
    expect(nextPath(next)).toBe(next);
  });
});

describe('everything else leads to the overview', () => {
  test.each([
    undefined,
    '',
    ['/admin/queue'],
    'https://evil.example/admin',
    '//evil.example/admin',
    '/admin//evil.example',
    '/\\evil.example',
    '/admin\\..\\..\\evil',
    '/admin/../shop',
    '/admin/%2e%2e/orders/1',
    '/admin\t/queue',
    '/administration',
    'javascript:alert(1)',
    '/admin/sign-in?next=/admin',
    `/admin?${'x'.repeat(3_000)}`,
  ])('%s', (next) => {
    expect(nextPath(next)).toBe('/admin');
  });
});
