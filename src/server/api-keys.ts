import { createHash, randomBytes } from 'node:crypto';
import type { Prisma } from '#prisma';

/**
 * Bearer tokens for the plain HTTP API, one tenant each. 256 random bits need no slow hash; what is stored cannot be
 * used to sign in, and looking a key up is one indexed read.
 */
export function mintApiKey(): { readonly token: string; readonly prefix: string; readonly hash: string } {
  const token = `po_${randomBytes(32).toString('base64url')}`;
  return { token, prefix: token.slice(0, 10), hash: hashApiKey(token) };
}

export function hashApiKey(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

export async function findTenantByApiKey(
  db: Prisma.TransactionClient,
  token: string,
): Promise<{ keyId: string; tenantId: string } | undefined> {
  const key = await db.apiKey.findUnique({
    where: { hash: hashApiKey(token), revokedAt: null },
    select: { id: true, tenantId: true },
  });
  return key ? { keyId: key.id, tenantId: key.tenantId } : undefined;
}
