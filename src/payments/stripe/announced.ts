import type { OperationRef } from '#idempotency/index.ts';
import { Prisma } from '#prisma';
import { stripeEventColumns } from './webhook.ts';

type Db = Pick<Prisma.TransactionClient, '$queryRaw'>;

/**
 * Whether a signed event says that the intent was paid. No event is evidence, but where the provider's own response says the
 * opposite, one of the two is wrong, and nothing is concluded from either: an intent that was paid never becomes unpaid.
 */
export function isAnnouncedAsPaid(db: Db, operation: OperationRef, intentId: string): Promise<boolean> {
  return hasEvent(
    db,
    operation,
    Prisma.sql`object = 'payment_intent' AND intent_id = ${intentId} AND state = 'succeeded'`,
  );
}

/** Whether a signed event is about a refund that this generation of the operation has made. */
export function isAnnouncedAsRefunded(db: Db, operation: OperationRef, generation: number): Promise<boolean> {
  return hasEvent(
    db,
    operation,
    Prisma.sql`object = 'refund' AND generation = ${String(generation)} AND state NOT IN ('failed', 'canceled')`,
  );
}

async function hasEvent(db: Db, { tenantId, id }: OperationRef, condition: Prisma.Sql): Promise<boolean> {
  const rows = await db.$queryRaw<unknown[]>`
    SELECT FROM (
      SELECT ${Prisma.raw(stripeEventColumns('payload'))},
        payload #>> '{data,object,metadata,generation}' AS generation
      FROM provider_event WHERE operation_id = ${id}::uuid AND tenant_id = ${tenantId}) AS given
    WHERE ${condition} LIMIT 1`;
  return rows.length > 0;
}
