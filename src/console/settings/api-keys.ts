import type { PrismaClient } from '#prisma';
import { type Actor, writeAuditEntry } from '../audit/write-audit-entry.ts';
import { mintApiKey } from './api-key-token.ts';

export async function listApiKeys(db: Pick<PrismaClient, 'apiKey'>, tenantId: string) {
  const rows = await db.apiKey.findMany({
    where: { tenantId },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    omit: { hash: true, tenantId: true },
  });
  return rows.map(({ createdAt, lastUsedAt, revokedAt, ...row }) => ({
    ...row,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    revokedAt: revokedAt?.toISOString() ?? null,
  }));
}

/** The token is in this answer and nowhere else. */
export function createApiKey(
  db: PrismaClient,
  actor: Actor,
  name: string,
): Promise<{ id: string; token: string }> {
  const { token, prefix, hash } = mintApiKey();
  return db.$transaction(async (tx) => {
    const { id } = await tx.apiKey.create({ data: { tenantId: actor.tenantId, name, prefix, hash } });
    await writeAuditEntry(tx, actor, {
      action: 'api_key.create',
      subject: { type: 'api_key', id },
      details: { name, prefix },
    });
    return { id, token };
  });
}

/** False: there is no such live key. It is refused from the next request on; what it started goes on. */
export function revokeApiKey(db: PrismaClient, actor: Actor, id: string): Promise<boolean> {
  return db.$transaction(async (tx) => {
    const [key] = await tx.$queryRaw<{ name: string; prefix: string }[]>`
      UPDATE api_key SET revoked_at = clock_timestamp()
      WHERE id = ${id}::uuid AND tenant_id = ${actor.tenantId} AND revoked_at IS NULL
      RETURNING name, prefix`;
    if (!key) return false;
    await writeAuditEntry(tx, actor, {
      action: 'api_key.revoke',
      subject: { type: 'api_key', id },
      details: { ...key },
    });
    return true;
  });
}
