import type { BodyKeyRequest } from '../ports.ts';
import type { SqlDriver } from './sql-driver.ts';

/** True while the last operation of a window `w` has no definitive outcome. */
export const windowIsUnresolved = `EXISTS (
  SELECT FROM idempotency_record r
  WHERE r.tenant_id = w.tenant_id AND r.operation = w.operation AND r.key = w.key
    AND r.status IN ('in_progress', 'unknown'))`;

const renew = `
  INSERT INTO idempotency_body_window AS w (tenant_id, operation, fingerprint, key, ends_at)
  VALUES ($1, $2, $3, 'body-' || $3 || '-' || (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
    clock_timestamp() + $4::bigint * interval '1 millisecond')
  ON CONFLICT (tenant_id, operation, fingerprint) DO UPDATE SET key = excluded.key, ends_at = excluded.ends_at
    WHERE w.ends_at <= clock_timestamp() AND NOT ${windowIsUnresolved}
  RETURNING key`;

const read = `
  SELECT key FROM idempotency_body_window WHERE tenant_id = $1 AND operation = $2 AND fingerprint = $3`;

/**
 * The window of a command is one row, so its renewal is decided under that row's lock. It is not renewed while the last
 * operation of the old window is unresolved, because a second one would then execute beside it.
 */
export async function bodyKey<Tx>(driver: SqlDriver<Tx>, request: BodyKeyRequest): Promise<string> {
  const scope = [request.tenantId, request.operation, request.fingerprint];
  for (let tries = 0; tries < 3; tries++) {
    const values = [...scope, request.windowMs];
    const [renewed] = await driver.query<{ key: string }>({ name: 'renew window', text: renew, values });
    if (renewed) return renewed.key;
    const [current] = await driver.query<{ key: string }>({ name: 'read window', text: read, values: scope });
    if (current) return current.key;
  }
  throw new Error(
    'The window of a command without a key was deleted between the insert and the read, three times.',
  );
}
