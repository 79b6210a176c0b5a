import type { Prisma } from '#prisma';
import type { DueQueue } from '../ports.ts';
import { guarded } from './prisma-errors.ts';
import { columns, type Row, recordOf } from './prisma-row.ts';

type Db = Prisma.TransactionClient;

/** The work that time brings, taken with SKIP LOCKED so that any number of workers share it without meeting. */
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
            reconcile_attempts = reconcile_attempts + 1
          WHERE id IN (
            SELECT id FROM idempotency_record
            WHERE status = 'unknown' AND reconcile_after <= clock_timestamp()
            ORDER BY reconcile_after LIMIT ${limit} FOR UPDATE SKIP LOCKED)
          RETURNING ${columns}`;
        return rows.map(recordOf);
      }),
    postpone: (id, inMs) =>
      guarded(async () => {
        await db.$executeRaw`
          UPDATE idempotency_record
          SET reconcile_after = clock_timestamp() + ${Math.round(inMs)}::bigint * interval '1 millisecond'
          WHERE id = ${id}::uuid AND status = 'unknown'`;
      }),
    escalate: (id) =>
      guarded(async () => {
        const count = await db.$executeRaw`
          UPDATE idempotency_record SET escalated_at = clock_timestamp(), reconcile_after = NULL
          WHERE id = ${id}::uuid AND status = 'unknown' AND escalated_at IS NULL`;
        return count === 1;
      }),
    hurry: (spreadMs) =>
      guarded(
        () => db.$executeRaw`
          UPDATE idempotency_record
          SET reconcile_after = clock_timestamp() + random() * ${spreadMs}::bigint * interval '1 millisecond'
          WHERE status = 'unknown'
            AND reconcile_after > clock_timestamp() + ${spreadMs}::bigint * interval '1 millisecond'`,
      ),
  };
}
