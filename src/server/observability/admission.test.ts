import { describe, expect, test } from 'vitest';
import { mayReadMetrics } from './admission.ts';

const home = { METRICS_TOKEN: undefined, HOST: '127.0.0.1', PUBLIC_URL: 'http://127.0.0.1:3000' };
const local = { host: '127.0.0.1:3000' };

describe('with METRICS_TOKEN', () => {
  const settings = { ...home, METRICS_TOKEN: 'a-token-of-sixteen', HOST: '0.0.0.0' };

  test('its bearer may read, from anywhere', () => {
    const headers = new Headers({ host: 'shop.example', authorization: 'Bearer a-token-of-sixteen' });
    expect(mayReadMetrics(settings, headers)).toBe(true);
  });

  test.each([
    ['none', {}],
    ['another', { authorization: 'Bearer a-token-of-sixteeN' }],
    ['a beginning of it', { authorization: 'Bearer a-token' }],
    ['another scheme', { authorization: 'Basic a-token-of-sixteen' }],
  ])('%s is refused, also on this machine', (_, headers) => {
    expect(mayReadMetrics(settings, new Headers({ ...local, ...headers }))).toBe(false);
  });
});

describe('without METRICS_TOKEN', () => {
  test.each([
    local,
    { host: 'localhost:3000' },
    { host: '[::1]:3000' },
    // Next adds this header when no proxy did.
    { ...local, 'x-forwarded-for': '127.0.0.1', 'x-forwarded-host': '127.0.0.1:3000' },
    { ...local, 'x-forwarded-for': '::ffff:127.0.0.1' },
  ])('a program on this machine may read: %o', (headers) => {
    expect(mayReadMetrics(home, new Headers(headers as Record<string, string>))).toBe(true);
  });

  test.each([
    ['it listens to the network', { ...home, HOST: '0.0.0.0' }],
    ['it listens to the network (IPv6)', { ...home, HOST: '::' }],
    ['visitors come by another address', { ...home, PUBLIC_URL: 'https://shop.example' }],
  ])('no request may read when %s', (_, settings) => {
    expect(mayReadMetrics(settings, new Headers({ ...local, 'x-forwarded-for': '127.0.0.1' }))).toBe(false);
  });

  test.each([
    { ...local, 'x-forwarded-for': '203.0.113.9' },
    { ...local, 'x-forwarded-for': '127.0.0.1, 203.0.113.9' },
    { ...local, 'x-forwarded-for': '203.0.113.9, 127.0.0.1' },
    { ...local, forwarded: 'for=203.0.113.9' },
    { ...local, via: '1.1 proxy' },
    { ...local, 'x-real-ip': '127.0.0.1' },
    { ...local, 'x-forwarded-host': 'shop.example' },
    { host: 'shop.example' },
    { host: '127.0.0.1.shop.example' },
    {},
  ])('a request through a proxy on this machine may not: %o', (headers) => {
    expect(mayReadMetrics(home, new Headers(headers as Record<string, string>))).toBe(false);
  });
});
