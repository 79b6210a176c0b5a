import { type Misuse, maxMisuseKinds, type RecordedMisuse } from '../ports.ts';
import type { OperationRef } from '../record.ts';
import type { SqlDriver } from './sql-driver.ts';

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
export async function recordMisuse<Tx>(
  driver: SqlDriver<Tx>,
  { tenantId, id }: OperationRef,
  { kind, fields }: Misuse,
): Promise<void> {
  await driver.query({
    name: 'record misuse',
    text: `
      INSERT INTO key_misuse AS m (tenant_id, record_id, kind, fields, first_at, last_at)
      SELECT r.tenant_id, r.id, $3,
        CASE WHEN EXISTS (
            SELECT FROM key_misuse k
            WHERE k.tenant_id = r.tenant_id AND k.record_id = r.id AND k.kind = $3 AND k.fields = $4)
          OR (SELECT count(*) FROM key_misuse k
            WHERE k.tenant_id = r.tenant_id AND k.record_id = r.id) < ${maxMisuseKinds}
          THEN $4 ELSE '' END,
        clock_timestamp(), clock_timestamp()
      FROM idempotency_record r WHERE r.tenant_id = $1 AND r.id = $2::uuid
      ON CONFLICT (tenant_id, record_id, kind, fields)
        DO UPDATE SET times = m.times + 1, last_at = clock_timestamp()`,
    values: [tenantId, id, kind, fields.join(',')],
  });
}

export async function listMisuses<Tx>(
  driver: SqlDriver<Tx>,
  { tenantId, id }: OperationRef,
): Promise<readonly RecordedMisuse[]> {
  const rows = await driver.query<MisuseRow>({
    name: 'list misuses',
    text: `
      SELECT kind, fields, times, first_at, last_at FROM key_misuse
      WHERE tenant_id = $1 AND record_id = $2::uuid ORDER BY last_at DESC`,
    values: [tenantId, id],
  });
  return rows.map((row) => ({
    kind: row.kind,
    fields: row.fields === '' ? [] : row.fields.split(','),
    times: row.times,
    firstAt: row.first_at,
    lastAt: row.last_at,
  }));
}
