import { describe, expect, test } from 'vitest';
import { isAllowedAddress, isAllowedUrl } from './address-rule.ts';

describe('with a real provider', () => {
  test.each(['https://merchant.example/hooks', 'https://93.184.215.14', 'https://[2606:2800:21f::1]:8443/x'])(
    '%s is allowed',
    (url) => {
      expect(isAllowedUrl(url, 'public')).toBe(true);
    },
  );

  test.each([
    'http://merchant.example/hooks',
    'https://localhost/hooks',
    'https://127.0.0.1',
    'https://2130706433',
    'https://0x7f.1',
    'https://[::1]',
    'https://[::ffff:127.0.0.1]',
    'https://10.1.2.3',
    'https://169.254.169.254/latest/meta-data',
    'https://192.168.0.1',
    'https://[fd00::1]',
    'https://[::10.0.0.1]',
    'https://[64:ff9b::10.0.0.1]',
    'https://[64:ff9b:1::a00:1]',
    'https://[2002:a00:1::]',
    'https://[2001:0:1::]',
    'https://[::ffff:0:10.0.0.1]',
    'https://[fec0::1]',
    'https://192.88.99.1',
    'https://user:secret@merchant.example',
    'ftp://merchant.example',
    'not a url',
  ])('%s is refused', (url) => {
    expect(isAllowedUrl(url, 'public')).toBe(false);
  });
});

test('with the sandbox, loopback is allowed as well, and nothing else inside', () => {
  expect(isAllowedUrl('http://127.0.0.1:4000/hooks', 'public_or_loopback')).toBe(true);
  expect(isAllowedUrl('http://localhost:4000/hooks', 'public_or_loopback')).toBe(true);
  expect(isAllowedUrl('http://[::1]:4000/hooks', 'public_or_loopback')).toBe(true);
  expect(isAllowedUrl('http://merchant.example', 'public_or_loopback')).toBe(false);
  expect(isAllowedUrl('https://10.0.0.1', 'public_or_loopback')).toBe(false);
});

test('a name is checked by the addresses that it resolves to', () => {
  expect(isAllowedAddress('127.0.0.1', 'public')).toBe(false);
  expect(isAllowedAddress('::ffff:10.0.0.1', 'public')).toBe(false);
  expect(isAllowedAddress('93.184.215.14', 'public')).toBe(true);
});
