import type { Pool } from '../store/database.ts';
import type { EventRow } from './event-object.ts';
import { nextAttemptMs } from './retry-schedule.ts';

/*
 * A delivery is one event for one endpoint. It is pending until the endpoint responds with 2xx (delivered) or three days
 * have passed (exhausted). Its sender holds a lease in wall time; the lease of a killed process expires, so the event
 * arrives at least once. Held deliveries wait until a later event has been delivered.
 */
export interface Delivery {
  id: number;
  attempts: number;
  createdMs: number;
  url: string;
  secret: string;
  /** The endpoint's own version; null is the account's. */
  apiVersion: string | null;
  pendingWebhooks: number;
  event: EventRow;
}

/** What became of one attempt. */
export interface Attempt {
  delivery: Delivery;
  accepted: boolean;
  result: string;
}

export const REQUEST_TIMEOUT_MS = 10_000;
// Longer than the request timeout, or a slow endpoint would get the event twice from one process.
const LEASE = '15 seconds';

// A delivery is not due before the silence about its payment is over. There are rarely any silences, and the payments of all
// deliveries would be read for nothing.
const DUE_MS = `CASE WHEN EXISTS (SELECT FROM silences) THEN greatest(delivery.due_ms, (
  SELECT silence.until_ms FROM events
    JOIN payment_intents intent ON intent.id = events.payment_intent
    JOIN silences silence ON silence.reference = intent.metadata ->> 'reference'
  WHERE events.id = delivery.event)) ELSE delivery.due_ms END`;

interface ClaimedRow extends EventRow {
  delivery: number;
  attempts: number;
  created_ms: number;
  url: string;
  secret: string;
  endpoint_version: string | null;
  pending: number;
}

export async function claimDue(pool: Pool, nowMs: number, limit: number): Promise<Delivery[]> {
  const { rows } = await pool.query<ClaimedRow>({
    name: 'claim_due',
    text: `WITH claimed AS (
       UPDATE webhook_deliveries SET leased_until = clock_timestamp() + interval '${LEASE}'
       WHERE id IN (
         SELECT id FROM webhook_deliveries delivery
         WHERE status = 'pending' AND due_ms <= $1 AND (leased_until IS NULL OR leased_until < clock_timestamp())
           AND ${DUE_MS} <= $1
         ORDER BY due_ms, id LIMIT $2 FOR UPDATE SKIP LOCKED)
       RETURNING *)
     SELECT events.*, claimed.id AS delivery, claimed.attempts, claimed.created_ms, endpoint.url, endpoint.secret,
       endpoint.api_version AS endpoint_version,
       (SELECT count(*) FROM webhook_deliveries other WHERE other.event = events.id AND other.status = 'pending') AS pending
     FROM claimed JOIN events ON events.id = claimed.event
       JOIN webhook_endpoints endpoint ON endpoint.id = claimed.endpoint
     ORDER BY claimed.id`,
    values: [nowMs, limit],
  });
  return rows.map((row) => ({
    id: row.delivery,
    attempts: row.attempts,
    createdMs: row.created_ms,
    url: row.url,
    secret: row.secret,
    apiVersion: row.endpoint_version,
    pendingWebhooks: row.pending,
    event: row,
  }));
}

const RECORD = `
  WITH attempt AS (
    SELECT * FROM json_to_recordset($1) AS (id bigint, status text, result text, due_ms bigint, intent text)),
  recorded AS (
    UPDATE webhook_deliveries delivery SET status = attempt.status, attempts = delivery.attempts + 1,
      last_result = attempt.result, leased_until = NULL, due_ms = coalesce(attempt.due_ms, delivery.due_ms)
    FROM attempt WHERE delivery.id = attempt.id),
  released AS (
    UPDATE webhook_deliveries delivery SET held = false, due_ms = $2
    FROM events WHERE events.id = delivery.event AND delivery.held AND delivery.status = 'pending'
      AND events.payment_intent IN (SELECT intent FROM attempt WHERE status = 'delivered')
    RETURNING 1)
  SELECT count(*) AS released FROM released`;

/**
 * Writes what became of several attempts. A later event of an intent that was delivered releases those that are held back
 * until then; their number is returned.
 */
export async function recordAttempts(pool: Pool, attempts: Attempt[], nowMs: number): Promise<number> {
  const rows = attempts.map(({ delivery, accepted, result }) => {
    const retryMs = accepted ? null : nextAttemptMs(delivery.attempts + 1, delivery.createdMs, nowMs);
    const status = accepted ? 'delivered' : retryMs === null ? 'exhausted' : 'pending';
    return { id: delivery.id, status, result, due_ms: retryMs, intent: releases(delivery) };
  });
  const { rows: counted } = await pool.query<{ released: number }>({
    name: 'record_attempts',
    text: RECORD,
    values: [JSON.stringify(rows), nowMs],
  });
  return counted[0]?.released ?? 0;
}

/** The intent whose held events may follow this one. */
function releases({ event }: Delivery): string | null {
  const isLater = event.type !== 'payment_intent.created' && event.type.startsWith('payment_intent.');
  return isLater ? event.payment_intent : null;
}

/** A request that our own shutdown aborted says nothing about the endpoint, so it does not count as an attempt. */
export async function releaseLease(pool: Pool, delivery: Delivery): Promise<void> {
  await pool.query('UPDATE webhook_deliveries SET leased_until = NULL WHERE id = $1', [delivery.id]);
}

export async function nextDueMs(pool: Pool): Promise<number | null> {
  const { rows } = await pool.query<{ next: number | null }>(
    `SELECT min(${DUE_MS}) AS next FROM webhook_deliveries delivery
     WHERE status = 'pending' AND leased_until IS NULL`,
  );
  return rows[0]?.next ?? null;
}

/** Sends an event again to every endpoint, whether it was delivered before or not. Null: there is no such event. */
export async function redeliver(pool: Pool, event: string, nowMs: number): Promise<number | null> {
  const { rowCount: found } = await pool.query('SELECT 1 FROM events WHERE id = $1', [event]);
  if (found === 0) return null;
  const { rowCount } = await pool.query(
    `INSERT INTO webhook_deliveries (event, endpoint, due_ms, created_ms) SELECT $1, id, $2, $2 FROM webhook_endpoints`,
    [event, nowMs],
  );
  return rowCount ?? 0;
}
