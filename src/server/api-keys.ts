import { hashApiKey } from '#console/settings/api-key-token.ts';
import type { Prisma } from '#prisma';

export async function findTenantByApiKey(
  db: Prisma.TransactionClient,
  token: string,
): Promise<{ keyId: string; tenantId: string } | undefined> {
  const key = await db.apiKey.findUnique({
    where: { hash: hashApiKey(token), revokedAt: null },
    select: { id: true, tenantId: true, lastUsedAt: true },
  });
  if (!key) return undefined;
  if (isWorthNoting(key.lastUsedAt)) await noteUse(db, key.id);
  return { keyId: key.id, tenantId: key.tenantId };
}

/** To the minute is exact enough for people, and one write a minute costs nothing. */
const noteEveryMs = 60_000;

/** The process's clock only decides whether to ask the database, which decides by its own. */
function isWorthNoting(lastUsedAt: Date | null): boolean {
  return lastUsedAt === null || Date.now() - lastUsedAt.getTime() > noteEveryMs;
}

/** A payment is never held up by the note about it: a row that is being written is left alone, a failure forgotten. */
async function noteUse(db: Prisma.TransactionClient, id: string): Promise<void> {
  await db.$executeRaw`
    UPDATE api_key SET last_used_at = clock_timestamp()
    WHERE id = (SELECT id FROM api_key WHERE id = ${id}::uuid FOR UPDATE SKIP LOCKED)`.catch(() => undefined);
}
