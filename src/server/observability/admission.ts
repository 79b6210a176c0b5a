import { createHash, timingSafeEqual } from 'node:crypto';
import { BlockList, isIP, isIPv6 } from 'node:net';
import type { Env } from '../env.ts';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');
loopback.addSubnet('::ffff:127.0.0.0', 104, 'ipv6');

/** Who may read the metrics. With METRICS_TOKEN: requests that carry it. Without: only programs on this machine. */
export function mayReadMetrics(
  settings: Pick<Env, 'METRICS_TOKEN' | 'HOST' | 'PUBLIC_URL'>,
  headers: Pick<Headers, 'get'>,
): boolean {
  if (settings.METRICS_TOKEN === undefined) return isFromThisMachine(settings, headers);
  const token = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
  return token !== undefined && isSame(token, settings.METRICS_TOKEN);
}

/**
 * Whether a program on this machine sent the request.
 *
 * A route handler does not get its peer's address, and a header that names one can be forged. So it is inferred from what
 * cannot be forged: when the server listens on a loopback address only, every peer is on this machine. That leaves a proxy
 * on this machine that forwards requests of others. It is recognised by one of three signs: the site's public address is
 * not a loopback address, or the request names another host, or it has a forwarding header. (Next adds x-forwarded-for
 * with the peer's address when no proxy did, so a loopback address is accepted there.) The check of the host also stops
 * DNS rebinding: a page in a local browser that reaches this server under a host name of its own.
 */
export function isFromThisMachine(
  settings: Pick<Env, 'HOST' | 'PUBLIC_URL'>,
  headers: Pick<Headers, 'get'>,
): boolean {
  const from = headers.get('x-forwarded-for');
  return (
    isLoopback(settings.HOST) &&
    isLoopback(new URL(settings.PUBLIC_URL).hostname) &&
    isLoopback(hostnameOf(headers.get('host'))) &&
    isLoopback(hostnameOf(headers.get('x-forwarded-host') ?? headers.get('host'))) &&
    (from === null || isLoopback(from)) &&
    ['forwarded', 'via', 'x-real-ip', 'x-client-ip', 'cf-connecting-ip', 'true-client-ip'].every(
      (name) => headers.get(name) === null,
    )
  );
}

/** Hashed first: a comparison in constant time needs equal lengths, and the length is secret too. */
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
