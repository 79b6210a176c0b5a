import { BlockList, isIP, isIPv6 } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * A page on another site can have its own name resolve to this machine (DNS rebinding). Its requests then come from here,
 * but the name that they ask for is not one of this machine's.
 */
export function isLoopbackName(host: string | undefined): boolean {
  const name = URL.parse(`http://${host ?? ''}`)?.hostname.replace(/^\[|\]$/g, '');
  return name === 'localhost' || isLoopback(name);
}

/** The control API requires no key, so only this machine may use it. */
export function isLoopback(address: string | undefined): boolean {
  return (
    address !== undefined && isIP(address) > 0 && LOOPBACK.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  );
}
