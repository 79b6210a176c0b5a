import { createHash, randomBytes } from 'node:crypto';

/**
 * Bearer tokens for the HTTP API, each for one tenant. 256 random bits need no slow hash. The stored hash cannot be used to
 * sign in, and a key is found by one index lookup.
 */
export function mintApiKey(): { readonly token: string; readonly prefix: string; readonly hash: string } {
  const token = `po_${randomBytes(32).toString('base64url')}`;
  return { token, prefix: token.slice(0, 10), hash: hashApiKey(token) };
}

export function hashApiKey(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
