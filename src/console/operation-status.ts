import type { OperationRef, Status } from '#idempotency/index.ts';
import type { Prisma } from '#prisma';

/** Undefined when the tenant has no such operation. */
export async function readStatus(
  db: Pick<Prisma.TransactionClient, '$queryRaw'>,
  { tenantId, id }: OperationRef,
): Promise<Status | undefined> {
  const [row] = await db.$queryRaw<{ status: Status }[]>`
    SELECT status FROM operation WHERE tenant_id = ${tenantId} AND id = ${id}::uuid`;
  return row?.status;
}
