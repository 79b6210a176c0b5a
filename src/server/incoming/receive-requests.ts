import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Env } from '../env.ts';
import { clientAddressHeader, createClientAddress } from './client-address.ts';
import { respondUnavailable } from './unavailable-status.ts';

/** A year, which is what browsers' preload lists ask for. Subdomains are not ours to decide about. */
const strictTransport = 'max-age=31536000';

/**
 * What holds for every request and response of the process, whichever route serves it. Next gives its routes no socket, so
 * the address of the peer is taken where Node announces a request, before Next sees it.
 */
export function receiveRequests(
  settings: Pick<Env, 'PUBLIC_URL' | 'TRUSTED_PROXIES'>,
  warn: (message: string) => void,
): void {
  const addressOf = createClientAddress(settings.TRUSTED_PROXIES);
  const isHttps = settings.PUBLIC_URL.startsWith('https:');
  let warned = false;
  subscribe('http.server.request.start', (message) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    const forwarded = [request.headers['x-forwarded-for']].flat().join(',') || undefined;
    const peer = request.socket.remoteAddress;
    request.headers[clientAddressHeader] = addressOf(peer, forwarded);
    respondUnavailable(response);
    if (isHttps) response.setHeader('Strict-Transport-Security', strictTransport);
    if (forwarded && settings.TRUSTED_PROXIES.length === 0 && !warned) {
      warned = true;
      warn(`X-Forwarded-For from ${peer} is ignored. If that is your proxy, name it in TRUSTED_PROXIES.`);
    }
  });
}
