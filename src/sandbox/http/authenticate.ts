import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from './api-error.ts';

/** Accepts Bearer, and Basic with the key as user name, as Stripe does. */
export function authenticate(authorization: string | undefined, secretKey: string): void {
  const given = readKey(authorization);
  if (given === null) {
    throw unauthorized(
      "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').",
    );
  }
  if (!sameText(given, secretKey)) throw unauthorized(`Invalid API Key provided: ${masked(given)}`);
}

/** Names another account to act for. The sandbox is one account, so there is none that its key has access to. */
export function refuseOtherAccounts(headers: IncomingHttpHeaders, secretKey: string): void {
  const account = headers['stripe-account'] ?? headers['stripe-context'];
  if (account === undefined) return;
  throw new ApiError(403, {
    type: 'invalid_request_error',
    code: 'account_invalid',
    message: `The provided key '${masked(secretKey)}' does not have access to account '${account}' (or that account does not exist). Application access may have been revoked.`,
  });
}

function readKey(authorization = ''): string | null {
  const [scheme, credentials = ''] = authorization.split(' ');
  if (scheme?.toLowerCase() === 'bearer') return credentials || null;
  if (scheme?.toLowerCase() === 'basic')
    return Buffer.from(credentials, 'base64').toString().split(':')[0] || null;
  return null;
}

function unauthorized(message: string): ApiError {
  return new ApiError(401, { type: 'invalid_request_error', message });
}

// A comparison in constant time needs both sides to have the same length; hashing gives them one.
function sameText(left: string, right: string): boolean {
  const digest = (text: string) => hash('sha256', text, 'buffer');
  return timingSafeEqual(digest(left), digest(right));
}

function masked(key: string): string {
  return key.length < 16 ? '****' : `${key.slice(0, 8)}${'*'.repeat(key.length - 12)}${key.slice(-4)}`;
}
