import { isIP } from 'node:net';
import { withinNetworks } from './networks.ts';

/**
 * Where a request came from. Anyone can write `X-Forwarded-For`, so an entry of it counts only if the peer that sent it is
 * one of `TRUSTED_PROXIES`: the list is read from its end, for as long as the address at hand is a trusted proxy's.
 */
export function createClientAddress(trustedProxies: readonly string[]) {
  const isTrusted = withinNetworks(trustedProxies);
  return (peer: string | undefined, forwardedFor: string | undefined): string => {
    const hops = forwardedFor?.split(',') ?? [];
    let address = plain(peer ?? '');
    while (isTrusted(address)) {
      const sender = plain(hops.pop() ?? '');
      if (isIP(sender) === 0) break;
      address = sender;
    }
    return address;
  };
}

/** An IPv4 address in its own notation, also where the socket is an IPv6 one. */
function plain(address: string): string {
  return address
    .trim()
    .replace(/^::ffff:(?=\d+\.)/i, '')
    .replace(/%.*$/, '');
}

/** Set for every request by `receive-requests.ts`; what a client sends under this name is overwritten. */
export const clientAddressHeader = 'x-paidonce-client';

export function clientAddressOf(headers: Headers): string {
  return headers.get(clientAddressHeader) ?? 'unknown';
}

/** By which requests are counted: one customer of a provider has a whole /64 of IPv6 addresses. */
export function limitedNetworkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...after];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
