import { createHash } from 'node:crypto';
import type { Prisma } from '#prisma';

/** A code is valid in its own half minute, the one before and the one after; after this time it cannot be. */
const lifetime = '2 minutes';

/**
 * Each code of a second factor is accepted once (RFC 6238, section 5.2), so that a code that was seen while it was typed is
 * of no use. That includes backup codes, which better-auth reads and deletes in two steps. A code is marked as used before
 * it is compared, in one statement, so that of two requests at the same moment one is refused. A wrong code is marked too,
 * which does no harm.
 */
export async function markCodeUsed(
  db: Prisma.TransactionClient,
  userId: string,
  code: string,
): Promise<boolean> {
  const subject = createHash('sha256').update(`${userId}\n${code}`).digest('hex');
  await db.$executeRaw`DELETE FROM used_code WHERE used_at < clock_timestamp() - ${lifetime}::interval`;
  const inserted = await db.$executeRaw`
    INSERT INTO used_code (subject, used_at) VALUES (${subject}, clock_timestamp())
    ON CONFLICT (subject) DO NOTHING`;
  return inserted === 1;
}
