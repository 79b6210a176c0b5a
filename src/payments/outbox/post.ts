import type { LookupAddress } from 'node:dns';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { type AddressRule, hostOf, isAllowedAddress, isAllowedUrl } from './address-rule.ts';
import { resolveName } from './resolve-name.ts';

export type PostResult =
  | { readonly kind: 'responded'; readonly status: number }
  | { readonly kind: 'no_response'; readonly error: string };

/** Ten seconds, as Stripe gives: a receiver should store a message, respond, and only then process it. */
const defaultTimeoutMs = 10_000;

/** One request. Redirects are not followed: the address was checked, and the one it points to was not. */
export function post(
  url: string,
  message: { readonly body: string; readonly headers: Readonly<Record<string, string>> },
  rule: AddressRule,
  timeoutMs = defaultTimeoutMs,
  resolve: Resolve = resolveName,
): Promise<PostResult> {
  if (!isAllowedUrl(url, rule)) {
    return Promise.resolve({ kind: 'no_response', error: 'The address is not one we may send to.' });
  }
  const target = new URL(url);
  const body = Buffer.from(message.body);
  return new Promise((end) => {
    const send = target.protocol === 'https:' ? requestHttps : requestHttp;
    const request = send({
      host: hostOf(target),
      port: target.port,
      path: target.pathname + target.search,
      method: 'POST',
      headers: { ...message.headers, host: target.host, 'content-length': body.length },
      // A connection of its own: none is kept that a receiver might close just when it is used again.
      agent: false,
      lookup: guardedLookup(rule, resolve),
      signal: AbortSignal.timeout(timeoutMs),
    });
    request.on('response', (response) => {
      end({ kind: 'responded', status: response.statusCode ?? 0 });
      // The status is all that counts.
      response.destroy();
    });
    // Another protocol was not asked for. Node closes such a connection without an event, and nothing would end the wait.
    request.on('upgrade', (response, socket) => {
      end({ kind: 'responded', status: response.statusCode ?? 0 });
      socket.destroy();
    });
    request.on('error', (error) => end({ kind: 'no_response', error: errorText(error, timeoutMs) }));
    request.end(body);
  });
}

/** Checked at the moment of connecting: a name that was public when it was registered may be internal by now. */
export function guardedLookup(rule: AddressRule, resolve: Resolve = resolveName): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, rule).then(
      (addresses) => {
        const allowed = addresses.filter(({ address }) => isAllowedAddress(address, rule));
        const first = allowed[0];
        if (!first) return callback(new Error('The name leads to an address we may not send to.'), '');
        if (options.all) callback(null, allowed);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, ''),
    );
  };
}

type Resolve = (hostname: string, rule: AddressRule) => Promise<LookupAddress[]>;

/** For people; the system's code is kept for those who search for it. */
const errorCopy: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'No server accepts connections at this address',
  ECONNRESET: 'The connection was closed before an answer came',
  EPIPE: 'The connection was closed before an answer came',
  EHOSTUNREACH: 'The address cannot be reached',
  ENETUNREACH: 'The address cannot be reached',
  ETIMEDOUT: 'No connection could be made in time',
  ENOTFOUND: 'No server has this name',
  EAI_AGAIN: 'The name could not be looked up',
  CERT_HAS_EXPIRED: 'The certificate of the server has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate of the server is self-signed',
  EPROTO: 'The server does not speak TLS as it should',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the server is for another name',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The certificate of the server is not from a known authority',
};

function errorText(error: Error & { code?: string }, timeoutMs: number): string {
  if (error.name === 'AbortError' || error.name === 'TimeoutError') {
    return `No answer within ${timeoutMs / 1000} seconds.`;
  }
  const copy = error.code && errorCopy[error.code];
  return copy ? `${copy} (${error.code}).` : error.message.slice(0, 500);
}
