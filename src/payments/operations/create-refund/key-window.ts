import type { OperationRef } from '#idempotency/index.ts';
import type { Prisma } from '#prisma';

// By the database's clock, like every decision about ownership.

/**
 * A provider forgets idempotency keys after a day, and a refund sent again after that is a second refund. An hour of margin
 * covers clocks that disagree. Counted from the claim, because the first request under the key may have left then.
 */
const resendWithinHours = 23;

/** No request is executed so long after it left. */
export const executedWithinHours = 2;

/** Whether the provider still remembers the downstream key, so that a refund sent again under it is the same refund. */
export async function mayResend(db: Prisma.TransactionClient, operation: OperationRef): Promise<boolean> {
  const rows = await db.$queryRaw<unknown[]>`
    SELECT FROM operation WHERE tenant_id = ${operation.tenantId} AND id = ${operation.id}::uuid
      AND created_at > clock_timestamp() - ${resendWithinHours}::int * interval '1 hour'`;
  return rows.length === 1;
}

/**
 * Whether it proves something that the provider does not list the refund: no request for it is on its way any more, neither
 * the owner's, which had left when the outcome became unknown, nor one that was sent again.
 */
export async function isAbsenceProof(
  db: Prisma.TransactionClient,
  operation: OperationRef,
): Promise<boolean> {
  const rows = await db.$queryRaw<unknown[]>`
    SELECT FROM operation WHERE tenant_id = ${operation.tenantId} AND id = ${operation.id}::uuid
      AND greatest(unknown_since, created_at + ${resendWithinHours}::int * interval '1 hour')
        > clock_timestamp() - ${executedWithinHours}::int * interval '1 hour'`;
  return rows.length === 0;
}
