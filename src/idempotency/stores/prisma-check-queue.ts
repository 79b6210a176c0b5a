import { Prisma } from '#prisma';
import type { CheckQueue } from '../ports.ts';
import { translateErrors } from './prisma-errors.ts';
import { type RecordRow, recordColumns, recordOf } from './prisma-row.ts';

type Db = Prisma.TransactionClient;

/**
 * Checks are taken with SKIP LOCKED, so that any number of workers share them without waiting for each other. Expired
 * leases are only listed: several workers may try to expire one, and one conditional transition succeeds.
 */
export function createCheckQueue(db: Db): CheckQueue {
  return {
    expiredLeases: (limit) =>
      translateErrors(async () => {
        const rows = await db.$queryRaw<RecordRow[]>`
          SELECT ${recordColumns} FROM idempotency_record
          WHERE status = 'in_progress' AND lease_until <= statement_timestamp()
          ORDER BY lease_until LIMIT ${limit}`;
        return rows.map(recordOf);
      }),
    take: (limit, holdMs) =>
      translateErrors(async () => {
        const rows = await db.$queryRaw<RecordRow[]>`
          WITH due AS MATERIALIZED (
            SELECT tenant_id, id FROM idempotency_record
            WHERE status = 'unknown' AND next_check_at <= statement_timestamp()
            ORDER BY next_check_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
          UPDATE idempotency_record SET
            next_check_at = clock_timestamp() + ${holdMs}::bigint * interval '1 millisecond',
            check_count = check_count
              + CASE WHEN scheduled_check_at > clock_timestamp() THEN 0 ELSE 1 END,
            last_checked_at = clock_timestamp()
          WHERE (tenant_id, id) IN (SELECT tenant_id, id FROM due)
          RETURNING ${recordColumns}`;
        return rows.map(recordOf);
      }),
    postpone: ({ tenantId, id, attempt }, inMs) =>
      translateErrors(async () => {
        // The statement's time, so that both columns get the same value.
        const next = Prisma.sql`CASE WHEN scheduled_check_at > statement_timestamp() THEN scheduled_check_at
          ELSE statement_timestamp() + ${Math.round(inMs)}::bigint * interval '1 millisecond' END`;
        await db.$executeRaw`
          UPDATE idempotency_record SET next_check_at = ${next}, scheduled_check_at = ${next}
          WHERE tenant_id = ${tenantId} AND id = ${id}::uuid AND status = 'unknown' AND attempt = ${attempt}`;
      }),
    escalate: ({ tenantId, id, attempt }) =>
      translateErrors(async () => {
        const count = await db.$executeRaw`
          UPDATE idempotency_record SET escalated_at = clock_timestamp(), next_check_at = NULL
          WHERE tenant_id = ${tenantId} AND id = ${id}::uuid AND status = 'unknown' AND attempt = ${attempt}
            AND escalated_at IS NULL`;
        return count === 1;
      }),
    expedite: ({ tenantId, id }, restMs) =>
      translateErrors(async () => {
        const count = await db.$executeRaw`
          UPDATE idempotency_record SET next_check_at = clock_timestamp()
          WHERE tenant_id = ${tenantId} AND id = ${id}::uuid AND status = 'unknown'
            AND next_check_at > clock_timestamp()
            AND last_checked_at <= clock_timestamp() - ${restMs}::bigint * interval '1 millisecond'`;
        return count === 1;
      }),
    expediteAll: (spreadMs, holdMs) =>
      translateErrors(
        () => db.$executeRaw`
          UPDATE idempotency_record
          SET next_check_at = clock_timestamp() + random() * ${spreadMs}::bigint * interval '1 millisecond'
          WHERE status = 'unknown'
            AND next_check_at > statement_timestamp() + ${holdMs}::bigint * interval '1 millisecond'`,
      ),
  };
}
