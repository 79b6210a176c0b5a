import { expect, test } from 'vitest';
import { addressInShop, shopOfAddress } from './shop-address.ts';

test.each([
  ['/admin', '/admin?tenant=t1'],
  ['/admin/payments?q=a%26b&min=5', '/admin/payments?q=a%26b&min=5&tenant=t1'],
  ['/admin/payments?tenant=t2', '/admin/payments?tenant=t1'],
  ['/admin/operations/1#ledger', '/admin/operations/1?tenant=t1#ledger'],
  ['/docs#webhooks', '/docs#webhooks'],
  ['/administration', '/administration'],
])('%s, on a page of the shop t1: %s', (address, named) => {
  expect(addressInShop(address, 't1')).toBe(named);
  expect(shopOfAddress(named)).toBe(named.includes('tenant') ? 't1' : undefined);
});

test('for a person with one shop an address names none', () => {
  expect(addressInShop('/admin/payments', undefined)).toBe('/admin/payments');
});
