import { BlockList, isIP } from 'node:net';

/**
 * A merchant chooses the address we send to, so it must not lead back into our own network: to a database, to a cloud's
 * metadata service. Loopback is for trying things out, and allowed only while the provider is the sandbox.
 */
export type AddressRule = 'public' | 'public_or_loopback';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

const internal = new BlockList();
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const) {
  internal.addSubnet(net, prefix, 'ipv4');
}
for (const [net, prefix] of [
  // Unspecified, loopback, and IPv4-compatible addresses, which some systems still route to the IPv4 address within.
  ['::', 96],
  // Networks that carry IPv4 addresses, internal ones too: translated ones, NAT64 and its local prefix, 6to4, Teredo.
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2002::', 16],
  ['2001::', 32],
  // Unique local, link-local, site-local (deprecated, and still in use), multicast.
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const) {
  internal.addSubnet(net, prefix, 'ipv6');
}

export function isAllowedAddress(address: string, rule: AddressRule): boolean {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (rule === 'public_or_loopback' && loopback.check(address, family)) return true;
  return !internal.check(address, family);
}

/** Checks a URL before its name is resolved. The addresses that the name resolves to are checked on connecting. */
export function isAllowedUrl(text: string, rule: AddressRule): boolean {
  const url = URL.parse(text);
  if (!url || url.username || url.password) return false;
  const host = hostOf(url);
  const isLoopback =
    host === 'localhost' || (isIP(host) > 0 && loopback.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4'));
  if (isLoopback) return rule === 'public_or_loopback' && /^https?:$/.test(url.protocol);
  return url.protocol === 'https:' && (isIP(host) === 0 || isAllowedAddress(host, rule));
}

/** Without the brackets of an IPv6 address. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}
