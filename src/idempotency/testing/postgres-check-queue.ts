import type { Prisma, PrismaClient } from '#prisma';
import { createCheckQueue, createPrismaStore } from '../stores/prisma.ts';
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
  return { store: createPrismaStore(db), queues: [createCheckQueue(db), createCheckQueue(otherDb)], advance };
}
