import { BlockList, isIPv6 } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** The control API requires no key, so only this machine may use it. */
export function isLoopback(address: string | undefined): boolean {
  return address !== undefined && LOOPBACK.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
