import type { PrismaClient } from '#prisma';
import { type Actor, writeAuditEntry } from '../audit/write-audit-entry.ts';
import type { ApiKeyScope } from './api-key-scopes.ts';
import { mintApiKey } from './api-key-token.ts';

export async function listApiKeys(db: Pick<PrismaClient, 'apiKey'>, tenantId: string) {
  const rows = await db.apiKey.findMany({
    where: { tenantId },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    omit: { hash: true, tenantId: true },
  });
  return rows.map(({ scopes, createdAt, expiresAt, lastUsedAt, revokedAt, ...row }) => ({
    ...row,
    scopes: scopes as ApiKeyScope[],
    expiresAt: expiresAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    revokedAt: revokedAt?.toISOString() ?? null,
  }));
}

/** The token is returned once and not stored. */
export function createApiKey(
  db: PrismaClient,
  actor: Actor,
  wanted: {
    readonly name: string;
    readonly scopes: readonly ApiKeyScope[];
    /** Null: until it is revoked. */
    readonly expiresInDays: number | null;
  },
): Promise<{ id: string; token: string }> {
  const { token, prefix, hash } = mintApiKey();
  return db.$transaction(async (tx) => {
    const { name, expiresInDays } = wanted;
    const scopes = [...new Set(wanted.scopes)];
    const [created] = await tx.$queryRaw<{ id: string }[]>`
      INSERT INTO api_key (tenant_id, name, prefix, hash, scopes, expires_at)
      VALUES (${actor.tenantId}, ${name}, ${prefix}, ${hash}, ${scopes},
        clock_timestamp() + ${expiresInDays}::int * interval '1 day')
      RETURNING id`;
    if (!created) throw new Error('The key was not stored.');
    const { id } = created;
    await writeAuditEntry(tx, actor, {
      action: 'api_key.create',
      subject: { type: 'api_key', id },
      details: { name, prefix, scopes, expiresInDays },
    });
    return { id, token };
  });
}

/** False when there is no such live key. Requests with the key are refused from now on; running operations continue. */
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
