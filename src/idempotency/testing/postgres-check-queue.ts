import type { Prisma, PrismaClient } from '#prisma';
import { createPostgresCheckQueue, createPostgresStore } from '../stores/postgres.ts';
import { createPrismaDriver } from '../stores/prisma.ts';
import type { CheckQueueUnderTest } from './check-queue-contract.ts';

/** Deletes all records and opens two queues. The database's clock cannot be changed, so `advance` changes the stored times. */
export async function openEmptyCheckQueue(
  db: PrismaClient,
  otherDb: PrismaClient,
): Promise<CheckQueueUnderTest<Prisma.TransactionClient>> {
  await db.$executeRaw`TRUNCATE idempotency_record CASCADE`;
  const advance = async (ms: number) => {
    await db.$executeRaw`
      UPDATE idempotency_record SET
        lease_until = lease_until - ${ms}::bigint * interval '1 millisecond',
        next_check_at = next_check_at - ${ms}::bigint * interval '1 millisecond',
        last_checked_at = last_checked_at - ${ms}::bigint * interval '1 millisecond',
        scheduled_check_at = scheduled_check_at - ${ms}::bigint * interval '1 millisecond'`;
  };
  const [driver, otherDriver] = [createPrismaDriver(db), createPrismaDriver(otherDb)];
  const queues = [createPostgresCheckQueue(driver), createPostgresCheckQueue(otherDriver)] as const;
  return { store: createPostgresStore(driver), queues: [...queues], advance };
}
