import { expect, test } from 'vitest';
import { createClientAddress, limitedNetworkOf } from './client-address.ts';
import { isNetwork } from './networks.ts';

test('without trusted proxies, a forged X-Forwarded-For changes nothing', () => {
  const addressOf = createClientAddress([]);
  expect(addressOf('127.0.0.1', '203.0.113.7')).toBe('127.0.0.1');
  expect(addressOf('::ffff:198.51.100.4', '203.0.113.7, 10.0.0.1')).toBe('198.51.100.4');
});

test('a trusted proxy says who the client is, and what the client wrote before it does not count', () => {
  const addressOf = createClientAddress(['10.0.0.0/8', '::1']);
  expect(addressOf('10.0.0.2', '203.0.113.7')).toBe('203.0.113.7');
  expect(addressOf('::1', 'forged, 192.0.2.1, 203.0.113.7, 10.0.0.9')).toBe('203.0.113.7');
  expect(addressOf('198.51.100.4', '203.0.113.7')).toBe('198.51.100.4');
});

test('a proxy that names no client, or something that is no address, is itself the client', () => {
  const addressOf = createClientAddress(['10.0.0.2']);
  expect(addressOf('10.0.0.2', undefined)).toBe('10.0.0.2');
  expect(addressOf('10.0.0.2', 'unknown')).toBe('10.0.0.2');
  expect(addressOf(undefined, '203.0.113.7')).toBe('');
});

test('addresses of one IPv6 network of 64 bits are counted together', () => {
  expect(limitedNetworkOf('2001:db8:1:2:aaaa::1')).toBe('2001:db8:1:2::/64');
  expect(limitedNetworkOf('2001:0db8:1:2::')).toBe('2001:db8:1:2::/64');
  expect(limitedNetworkOf('::1')).toBe('0:0:0:0::/64');
  expect(limitedNetworkOf('203.0.113.7')).toBe('203.0.113.7');
});

test('a network is an address or an address with the length of its prefix', () => {
  for (const text of ['10.0.0.7', '10.0.0.0/8', '::1', 'fd00::/8']) expect(isNetwork(text)).toBe(true);
  for (const text of ['10.0.0.0/33', 'proxy.example', '', '10.0.0', '::/129'])
    expect(isNetwork(text)).toBe(false);
});
