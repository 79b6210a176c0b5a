import type { RetentionStep } from '../ports.ts';
import { windowIsUnresolved } from './postgres-body-window.ts';
import type { SqlDriver } from './sql-driver.ts';

/**
 * Locked rows are skipped, so that the reaper never waits for a request. The due rows are selected in a materialized CTE:
 * PostgreSQL may execute a subquery that locks rows again for every outer row, and would then exceed the limit.
 */
const steps: Record<RetentionStep, string> = {
  purge_body: `
    WITH due AS MATERIALIZED (
      SELECT tenant_id, id FROM idempotency_record
      WHERE response_body IS NOT NULL AND body_purge_at <= statement_timestamp()
      ORDER BY body_purge_at LIMIT $1 FOR UPDATE SKIP LOCKED)
    UPDATE idempotency_record
    SET response_body = NULL, response_key_id = NULL, body_purged_at = clock_timestamp()
    WHERE (tenant_id, id) IN (SELECT tenant_id, id FROM due) RETURNING 1`,
  expire: `
    WITH due AS MATERIALIZED (
      SELECT tenant_id, id FROM idempotency_record
      WHERE status IN ('completed', 'failed_retryable') AND expires_at <= statement_timestamp()
      ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)
    UPDATE idempotency_record
    SET status = 'expired', transition_actor = 'reaper', transition_cause = 'replay_window_over',
      transition_evidence = NULL, updated_at = clock_timestamp()
    WHERE (tenant_id, id) IN (SELECT tenant_id, id FROM due) RETURNING 1`,
  delete: `
    WITH due AS MATERIALIZED (
      SELECT tenant_id, id FROM idempotency_record
      WHERE status = 'expired' AND delete_at <= statement_timestamp()
      ORDER BY delete_at LIMIT $1 FOR UPDATE SKIP LOCKED)
    DELETE FROM idempotency_record WHERE (tenant_id, id) IN (SELECT tenant_id, id FROM due) RETURNING 1`,
};

const deleteWindows = `
  WITH due AS MATERIALIZED (
    SELECT w.tenant_id, w.operation, w.fingerprint FROM idempotency_body_window w
    WHERE w.ends_at <= statement_timestamp() AND NOT ${windowIsUnresolved}
    ORDER BY w.ends_at LIMIT $1 FOR UPDATE SKIP LOCKED)
  DELETE FROM idempotency_body_window
  WHERE (tenant_id, operation, fingerprint) IN (SELECT tenant_id, operation, fingerprint FROM due)`;

export async function reap<Tx>(driver: SqlDriver<Tx>, step: RetentionStep, limit: number): Promise<number> {
  if (step === 'delete') {
    await driver.query({ name: 'reap windows', text: deleteWindows, values: [limit] });
  }
  const rows = await driver.query({ name: `reap ${step}`, text: steps[step], values: [limit] });
  return rows.length;
}
