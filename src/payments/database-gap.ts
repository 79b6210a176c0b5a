import type { Problem } from '#idempotency/index.ts';
import { Prisma } from '#prisma';
import { paymentProblems } from './problems.ts';

/**
 * A promoted standby or a restored backup may lack what was committed last, and the provider forgets our idempotency keys after a
 * day. So a database whose identity has changed sends nothing new until the provider's lists have been compared with it. This is
 * a condition of the statement that claims a key, so no claim can come before the change is noticed.
 */
export const isComparedSql = `EXISTS (
  SELECT FROM database_history WHERE identity = database_identity() AND compared_at IS NOT NULL)`;

export async function isCompared(tx: Prisma.TransactionClient): Promise<boolean> {
  const [row] = await tx.$queryRaw<{ compared: boolean }[]>`SELECT ${Prisma.raw(isComparedSql)} AS compared`;
  return row?.compared ?? false;
}

export const notCompared: Problem = { spec: paymentProblems.comparing_with_provider, retryAfterSeconds: 2 };
