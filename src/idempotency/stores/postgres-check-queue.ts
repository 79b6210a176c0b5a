import type { CheckQueue } from '../ports.ts';
import { translateErrors } from './postgres-errors.ts';
import { type RecordRow, recordColumns, recordOf } from './postgres-record.ts';
import type { SqlDriver, Statement } from './sql-driver.ts';

const pageSize = 100;

/** One page: the records after the last one of the page before. */
const expiredLeases = `
  SELECT ${recordColumns} FROM idempotency_record r
  WHERE r.status = 'in_progress' AND r.lease_until <= statement_timestamp()
    AND (r.created_at, r.tenant_id, r.id) > ($1::timestamptz, $2::text, $3::uuid)
  ORDER BY r.created_at, r.tenant_id, r.id LIMIT ${pageSize}`;

/**
 * The tenants that have unknown records are found one after the other in the index, and of each only as many records are read
 * as can be taken, so the statement costs the same however many of one tenant are due. Records that are read and not taken are
 * locked until its end; another poller then skips them.
 */
const take = `
  WITH RECURSIVE waiting AS (
    (SELECT tenant_id FROM idempotency_record WHERE status = 'unknown' ORDER BY tenant_id LIMIT 1)
    UNION ALL
    SELECT (
      SELECT r.tenant_id FROM idempotency_record r
      WHERE r.status = 'unknown' AND r.tenant_id > waiting.tenant_id ORDER BY r.tenant_id LIMIT 1)
    FROM waiting WHERE waiting.tenant_id IS NOT NULL),
  due AS MATERIALIZED (
    SELECT first.*, row_number() OVER (PARTITION BY first.tenant_id ORDER BY first.next_check_at)
      + (SELECT count(*) FROM unnest($4::text[]) AS busy (tenant_id) WHERE busy.tenant_id = first.tenant_id) AS place
    FROM waiting CROSS JOIN LATERAL (
      SELECT tenant_id, id, next_check_at FROM idempotency_record
      WHERE status = 'unknown' AND tenant_id = waiting.tenant_id AND next_check_at <= statement_timestamp()
      ORDER BY next_check_at LIMIT $1 FOR UPDATE SKIP LOCKED) AS first
    WHERE waiting.tenant_id <> ALL ($3::text[])),
  taken AS MATERIALIZED (SELECT tenant_id, id FROM due ORDER BY place, next_check_at LIMIT $1)
  UPDATE idempotency_record r SET
    next_check_at = clock_timestamp() + $2::bigint * interval '1 millisecond',
    check_count = r.check_count + CASE WHEN r.scheduled_check_at > clock_timestamp() THEN 0 ELSE 1 END,
    last_checked_at = clock_timestamp()
  FROM taken WHERE r.tenant_id = taken.tenant_id AND r.id = taken.id
  RETURNING ${recordColumns}`;

/** The statement's time, so that both columns get the same value. */
const nextCheck = `CASE WHEN scheduled_check_at > statement_timestamp() THEN scheduled_check_at
  ELSE statement_timestamp() + $4::bigint * interval '1 millisecond' END`;

const postpone = `
  UPDATE idempotency_record SET next_check_at = ${nextCheck}, scheduled_check_at = ${nextCheck}
  WHERE tenant_id = $1 AND id = $2::uuid AND status = 'unknown' AND attempt = $3`;

const escalate = `
  UPDATE idempotency_record SET escalated_at = clock_timestamp(), next_check_at = NULL
  WHERE tenant_id = $1 AND id = $2::uuid AND status = 'unknown' AND attempt = $3 AND escalated_at IS NULL
  RETURNING 1`;

const expedite = `
  UPDATE idempotency_record SET next_check_at = clock_timestamp()
  WHERE tenant_id = $1 AND id = $2::uuid AND status = 'unknown' AND next_check_at > clock_timestamp()
    AND last_checked_at <= clock_timestamp() - $3::bigint * interval '1 millisecond'
  RETURNING 1`;

const expediteAll = `
  UPDATE idempotency_record
  SET next_check_at = clock_timestamp() + random() * $1::bigint * interval '1 millisecond'
  WHERE status = 'unknown' AND next_check_at > statement_timestamp() + $2::bigint * interval '1 millisecond'
  RETURNING 1`;

/**
 * Checks are taken with SKIP LOCKED, so that any number of workers share them without waiting for each other. Expired
 * leases are only listed: several workers may try to expire one, and one conditional transition succeeds.
 */
export function createPostgresCheckQueue<Tx>(driver: SqlDriver<Tx>): CheckQueue {
  const query = <Row>(name: string, text: string, values: Statement['values']) =>
    translateErrors(driver, () => driver.query<Row>({ name, text, values }));

  return {
    async *expiredLeases() {
      let after: Statement['values'] = ['-infinity', '', '00000000-0000-0000-0000-000000000000'];
      for (;;) {
        const page = (await query<RecordRow>('expired leases', expiredLeases, after)).map(recordOf);
        yield* page;
        const last = page.at(-1);
        if (!last || page.length < pageSize) return;
        after = [last.createdAt.toISOString(), last.tenantId, last.id];
      }
    },
    async take(limit, holdMs, pausedTenants = [], busyTenants = []) {
      const values = [limit, holdMs, [...pausedTenants], [...busyTenants]];
      return (await query<RecordRow>('take checks', take, values)).map(recordOf);
    },
    async postpone({ tenantId, id, attempt }, inMs) {
      await query('postpone check', postpone, [tenantId, id, attempt, Math.round(inMs)]);
    },
    async escalate({ tenantId, id, attempt }) {
      return (await query('escalate', escalate, [tenantId, id, attempt])).length === 1;
    },
    async expedite({ tenantId, id }, restMs) {
      return (await query('expedite check', expedite, [tenantId, id, restMs])).length === 1;
    },
    async expediteAll(spreadMs, holdMs) {
      return (await query('expedite all', expediteAll, [spreadMs, holdMs])).length;
    },
  };
}
