import { expect, test } from 'vitest';
import { contentSecurityPolicy } from './content-security-policy.ts';

const policyFor = (over: { stripe?: boolean; development?: boolean } = {}) =>
  contentSecurityPolicy({ nonce: 'n1', stripe: false, development: false, ...over });

function sourcesOf(policy: string, directive: string): string[] {
  const found = policy.split('; ').find((part) => part.startsWith(`${directive} `));
  return found?.split(' ').slice(1) ?? [];
}

test('scripts run only from our origin or with the nonce', () => {
  expect(sourcesOf(policyFor(), 'script-src')).toEqual(["'self'", "'nonce-n1'"]);
  expect(policyFor()).not.toContain('stripe');
});

test('Stripe is allowed where its card fields are used: script, frames, requests', () => {
  const policy = policyFor({ stripe: true });
  expect(sourcesOf(policy, 'script-src')).toContain('https://js.stripe.com');
  expect(sourcesOf(policy, 'connect-src')).toContain('https://api.stripe.com');
  expect(sourcesOf(policy, 'frame-src')).toEqual([
    'https://js.stripe.com',
    'https://*.js.stripe.com',
    'https://hooks.stripe.com',
  ]);
  expect(policy).not.toContain("script-src 'self' 'unsafe-inline'");
});

test('code is evaluated only in development, for hot reload', () => {
  expect(policyFor({ stripe: true })).not.toContain('unsafe-eval');
  expect(sourcesOf(policyFor({ development: true }), 'script-src')).toContain("'unsafe-eval'");
});
