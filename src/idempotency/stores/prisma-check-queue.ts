import { Prisma } from '#prisma';
import type { DueQueue } from '../ports.ts';
import { guarded } from './prisma-errors.ts';
import { columns, type Row, recordOf } from './prisma-row.ts';

type Db = Prisma.TransactionClient;

/**
 * The work that time brings. Looks are taken with SKIP LOCKED, so any number of workers share them without meeting. Expired
 * leases are only listed: doubting one is a conditional move, of which one doubter's succeeds, and nothing is asked outside.
 */
export function createDueQueue(db: Db): DueQueue {
  return {
    expiredLeases: (limit) =>
      guarded(async () => {
        const rows = await db.$queryRaw<Row[]>`
          SELECT ${columns} FROM idempotency_record
          WHERE status = 'in_progress' AND lease_until <= clock_timestamp()
          ORDER BY lease_until LIMIT ${limit}`;
        return rows.map(recordOf);
      }),
    take: (limit, holdMs) =>
      guarded(async () => {
        const rows = await db.$queryRaw<Row[]>`
          UPDATE idempotency_record SET
            reconcile_after = clock_timestamp() + ${holdMs}::bigint * interval '1 millisecond',
            reconcile_attempts = reconcile_attempts
              + CASE WHEN scheduled_for > clock_timestamp() THEN 0 ELSE 1 END,
            looked_at = clock_timestamp()
          WHERE id IN (
            SELECT id FROM idempotency_record
            WHERE status = 'unknown' AND reconcile_after <= clock_timestamp()
            ORDER BY reconcile_after LIMIT ${limit} FOR UPDATE SKIP LOCKED)
          RETURNING ${columns}`;
        return rows.map(recordOf);
      }),
    postpone: ({ id, attempt }, inMs) =>
      guarded(async () => {
        // The statement's time, so that both columns get the same.
        const next = Prisma.sql`CASE WHEN scheduled_for > statement_timestamp() THEN scheduled_for
          ELSE statement_timestamp() + ${Math.round(inMs)}::bigint * interval '1 millisecond' END`;
        await db.$executeRaw`
          UPDATE idempotency_record SET reconcile_after = ${next}, scheduled_for = ${next}
          WHERE id = ${id}::uuid AND status = 'unknown' AND attempt = ${attempt}`;
      }),
    escalate: ({ id, attempt }) =>
      guarded(async () => {
        const count = await db.$executeRaw`
          UPDATE idempotency_record SET escalated_at = clock_timestamp(), reconcile_after = NULL
          WHERE id = ${id}::uuid AND status = 'unknown' AND attempt = ${attempt} AND escalated_at IS NULL`;
        return count === 1;
      }),
    hasten: (id, restMs) =>
      guarded(async () => {
        const count = await db.$executeRaw`
          UPDATE idempotency_record SET reconcile_after = clock_timestamp()
          WHERE id = ${id}::uuid AND status = 'unknown' AND reconcile_after > clock_timestamp()
            AND looked_at <= clock_timestamp() - ${restMs}::bigint * interval '1 millisecond'`;
        return count === 1;
      }),
    hurry: (spreadMs, holdMs) =>
      guarded(
        () => db.$executeRaw`
          UPDATE idempotency_record
          SET reconcile_after = clock_timestamp() + random() * ${spreadMs}::bigint * interval '1 millisecond'
          WHERE status = 'unknown'
            AND reconcile_after > clock_timestamp() + ${holdMs}::bigint * interval '1 millisecond'`,
      ),
  };
}
