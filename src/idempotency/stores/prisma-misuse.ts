import type { Prisma } from '#prisma';
import { type Misuse, maxMisuseKinds, type RecordedMisuse } from '../ports.ts';
import type { OperationRef } from '../record.ts';

type Db = Prisma.TransactionClient;

interface MisuseRow {
  kind: Misuse['kind'];
  fields: string;
  times: number;
  first_at: Date;
  last_at: Date;
}

/**
 * Each different misuse has a row that counts it. Beyond the limit the misuses of one kind share a row, the one without
 * field names. A misuse of a record that has just been deleted is not recorded.
 */
export async function recordMisuse(db: Db, ref: OperationRef, { kind, fields }: Misuse): Promise<void> {
  const names = fields.join(',');
  await db.$executeRaw`
    INSERT INTO key_misuse AS m (tenant_id, record_id, kind, fields, first_at, last_at)
    SELECT r.tenant_id, r.id, ${kind},
      CASE WHEN EXISTS (
          SELECT FROM key_misuse k
          WHERE k.tenant_id = r.tenant_id AND k.record_id = r.id AND k.kind = ${kind} AND k.fields = ${names})
        OR (SELECT count(*) FROM key_misuse k
          WHERE k.tenant_id = r.tenant_id AND k.record_id = r.id) < ${maxMisuseKinds}::int
        THEN ${names} ELSE '' END,
      clock_timestamp(), clock_timestamp()
    FROM idempotency_record r WHERE r.tenant_id = ${ref.tenantId} AND r.id = ${ref.id}::uuid
    ON CONFLICT (tenant_id, record_id, kind, fields) DO UPDATE SET times = m.times + 1, last_at = clock_timestamp()`;
}

export async function listMisuses(db: Db, ref: OperationRef): Promise<readonly RecordedMisuse[]> {
  const rows = await db.$queryRaw<MisuseRow[]>`
    SELECT kind, fields, times, first_at, last_at FROM key_misuse
    WHERE tenant_id = ${ref.tenantId} AND record_id = ${ref.id}::uuid ORDER BY last_at DESC`;
  return rows.map((row) => ({
    kind: row.kind,
    fields: row.fields === '' ? [] : row.fields.split(','),
    times: row.times,
    firstAt: row.first_at,
    lastAt: row.last_at,
  }));
}
