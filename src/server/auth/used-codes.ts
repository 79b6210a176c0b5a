import { createHash } from 'node:crypto';
import type { Prisma } from '#prisma';

/** A code is taken in its own half minute, the one before and the one after: after this it can not be valid any more. */
const lifetime = '2 minutes';

/**
 * Each code of a second factor is good once (RFC 6238, section 5.2): whoever watched it being typed can not type it too.
 * That goes for backup codes as well, which better-auth reads and strikes out in two steps. A code is spent before it is compared, in one statement, so that of two at the same moment one is refused. A wrong code is
 * spent as well, which costs nobody anything.
 */
export async function spendCode(
  db: Prisma.TransactionClient,
  userId: string,
  code: string,
): Promise<boolean> {
  const subject = createHash('sha256').update(`${userId}\n${code}`).digest('hex');
  await db.$executeRaw`DELETE FROM spent_code WHERE spent_at < clock_timestamp() - ${lifetime}::interval`;
  const spent = await db.$executeRaw`
    INSERT INTO spent_code (subject, spent_at) VALUES (${subject}, clock_timestamp())
    ON CONFLICT (subject) DO NOTHING`;
  return spent === 1;
}
