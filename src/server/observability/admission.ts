import { createHash, timingSafeEqual } from 'node:crypto';
import { BlockList, isIP, isIPv6 } from 'node:net';
import type { Env } from '../env.ts';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');
loopback.addSubnet('::ffff:127.0.0.0', 104, 'ipv6');

/**
 * Who may read the metrics. With METRICS_TOKEN: whoever sends it. Without: only programs on this machine.
 *
 * A route handler is not told its peer's address, and a header that names one can be forged. So it is inferred from
 * what cannot: the server listens on a loopback address only, so every peer is on this machine. What remains is a proxy
 * on this machine that lets strangers in. It betrays itself: the site's public address is not a loopback address, or
 * the request names another host, or says that it was forwarded. (Next itself fills in x-forwarded-for with the peer's
 * address when nobody did: that may be there, if it is a loopback address.) The same check of the host stops a page in
 * a local browser that reaches us under a name of its own.
 */
export function mayReadMetrics(
  settings: Pick<Env, 'METRICS_TOKEN' | 'HOST' | 'PUBLIC_URL'>,
  headers: Headers,
): boolean {
  if (settings.METRICS_TOKEN !== undefined) {
    const token = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
    return token !== undefined && isSame(token, settings.METRICS_TOKEN);
  }
  const from = headers.get('x-forwarded-for');
  return (
    isLoopback(settings.HOST) &&
    isLoopback(new URL(settings.PUBLIC_URL).hostname) &&
    isLoopback(hostnameOf(headers.get('host'))) &&
    isLoopback(hostnameOf(headers.get('x-forwarded-host') ?? headers.get('host'))) &&
    (from === null || isLoopback(from)) &&
    !['forwarded', 'via', 'x-real-ip', 'x-client-ip', 'cf-connecting-ip', 'true-client-ip'].some((name) =>
      headers.has(name),
    )
  );
}

/** Hashed first: equal lengths are what a comparison in constant time needs, and the length is a secret too. */
function isSame(one: string, other: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(one), hash(other));
}

function isLoopback(host: string | undefined): boolean {
  const bare = host?.replace(/^\[|\]$/g, '');
  if (bare === undefined || isIP(bare) === 0) return bare === 'localhost';
  return loopback.check(bare, isIPv6(bare) ? 'ipv6' : 'ipv4');
}

function hostnameOf(host: string | null): string | undefined {
  return host === null ? undefined : URL.parse(`http://${host}`)?.hostname;
}
