import { describe, expect, test } from 'vitest';
import { isFollowedFromOwnPage, isFromOwnPage } from './own-origin.ts';

const publicUrl = 'https://pay.example';
const request = (headers: Record<string, string>) =>
  new Request(`${publicUrl}/api/trpc/x`, { headers: { host: 'pay.example', ...headers } });

describe('a request that changes something', () => {
  const isOwn = (headers: Record<string, string>) => isFromOwnPage(request(headers), publicUrl);

  test('is refused from another site, with any other headers', () => {
    expect(isOwn({ origin: 'https://evil.example' })).toBe(false);
    expect(isOwn({ origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' })).toBe(false);
    expect(isOwn({ origin: 'null' })).toBe(false);
    expect(isOwn({ 'sec-fetch-site': 'cross-site' })).toBe(false);
    expect(isOwn({ 'sec-fetch-site': 'same-site' })).toBe(false);
    expect(isOwn({ origin: 'https://pay.example.evil.example' })).toBe(false);
  });

  test('is taken from our own pages, by whichever name the shop was opened, and from programs', () => {
    expect(isOwn({ origin: publicUrl })).toBe(true);
    expect(isOwn({ origin: 'http://localhost:3000', host: 'localhost:3000' })).toBe(true);
    expect(isOwn({})).toBe(true);
  });
});

describe('a link that does something', () => {
  const isOwn = (headers: Record<string, string>) => isFollowedFromOwnPage(request(headers), publicUrl);

  test('is refused on another site, and where a browser does not say where it is', () => {
    expect(isOwn({ 'sec-fetch-site': 'cross-site', referer: `${publicUrl}/admin` })).toBe(false);
    expect(isOwn({ referer: 'https://evil.example/' })).toBe(false);
    expect(isOwn({})).toBe(false);
  });

  test('is followed on our own pages, and from the address bar', () => {
    expect(isOwn({ 'sec-fetch-site': 'same-origin' })).toBe(true);
    expect(isOwn({ 'sec-fetch-site': 'none' })).toBe(true);
    expect(isOwn({ referer: `${publicUrl}/admin/audit` })).toBe(true);
  });
});
