import type { Prisma } from '#prisma';
import { type Misuse, maxMisuseKinds, type NotedMisuse } from '../ports.ts';

type Db = Prisma.TransactionClient;

interface Row {
  kind: Misuse['kind'];
  fields: string;
  times: number;
  first_at: Date;
  last_at: Date;
}

/**
 * One statement. The row that counts is found by how the key was misused; beyond the limit by nothing but the kind. A
 * record that has just been pruned has nobody left to be told about.
 */
export async function noteMisuse(db: Db, recordId: string, { kind, fields }: Misuse): Promise<void> {
  const names = fields.join(',');
  await db.$executeRaw`
    INSERT INTO key_misuse AS m (record_id, tenant_id, kind, fields, first_at, last_at)
    SELECT r.id, r.tenant_id, ${kind},
      CASE WHEN EXISTS (
          SELECT FROM key_misuse k WHERE k.record_id = r.id AND k.kind = ${kind} AND k.fields = ${names})
        OR (SELECT count(*) FROM key_misuse k WHERE k.record_id = r.id) < ${maxMisuseKinds}::int
        THEN ${names} ELSE '' END,
      clock_timestamp(), clock_timestamp()
    FROM idempotency_record r WHERE r.id = ${recordId}::uuid
    ON CONFLICT (record_id, kind, fields) DO UPDATE SET times = m.times + 1, last_at = clock_timestamp()`;
}

export async function misusesOf(db: Db, recordId: string): Promise<readonly NotedMisuse[]> {
  const rows = await db.$queryRaw<Row[]>`
    SELECT kind, fields, times, first_at, last_at FROM key_misuse
    WHERE record_id = ${recordId}::uuid ORDER BY last_at DESC`;
  return rows.map((row) => ({
    kind: row.kind,
    fields: row.fields === '' ? [] : row.fields.split(','),
    times: row.times,
    firstAt: row.first_at,
    lastAt: row.last_at,
  }));
}
