import { createHash } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import { inTransaction, type Pool, type Queryable } from '../store/database.ts';
import {
  asApiError,
  internalError,
  keyInUse,
  keyReusedOnOtherEndpoint,
  keyReusedWithOtherParameters,
} from './api-error.ts';
import { type ApiResponse, type Call, type Delivery, FaultStrike, type Work } from './response.ts';

/*
 * A key goes through three stages. Unseen: the endpoint runs, and its result is stored in the transaction of its
 * effect, so that a crash leaves both or neither. In use: a lock that lives and dies with that transaction turns a
 * concurrent twin away with 409; no row marks it, so a crash cannot leave a key stuck. Stored: every later request
 * with the same parameters gets the same status and bytes, and a different one is refused, until 24 hours have passed.
 */

// What Stripe documents: keys may be pruned once they are at least 24 hours old.
const KEY_LIFETIME_MS = 24 * 60 * 60 * 1000;

// stripe-node retries a closed connection once even when retries are off. A reset that struck only once would be
// healed inside the SDK and never be seen by the application, so the first replay is reset as well.
const RESETS_AFTER_THE_FIRST = 1;

export interface Request {
  endpoint: string;
  canonicalParameters: string;
}

export interface Execution {
  status: number;
  /** Serialised once: what is stored, what is sent and what is replayed are the same bytes. */
  body: string;
  delivery: Delivery;
  events: string[];
  originalRequest: string | null;
  replayed: boolean;
}

interface StoredKey {
  endpoint: string;
  fingerprint: string;
  original_request: string;
  status: number;
  body: string;
  resets_left: number;
}

export type Effect = (work: Work) => Promise<ApiResponse>;

export async function executeOnce(
  pool: Pool,
  call: Call,
  request: Request,
  effect: Effect,
  log: FastifyBaseLogger,
): Promise<Execution> {
  return inTransaction(pool, async (tx) => {
    const key = call.idempotencyKey;
    if (key === null) return (await run(tx, call, effect, log)).execution;

    if (!(await lockKey(tx, key))) throw keyInUse(key);
    const fingerprint = createHash('sha256').update(request.canonicalParameters).digest('hex');
    const stored = await findKey(tx, key, call.nowMs);
    if (stored) return replay(tx, key, stored, request.endpoint, fingerprint);

    const { execution, struck } = await run(tx, call, effect, log);
    if (struck) {
      await tx.query('INSERT INTO struck_faults (key, created_ms) VALUES ($1, $2)', [key, call.nowMs]);
    } else {
      await storeKey(tx, key, request.endpoint, fingerprint, call, execution);
    }
    return execution;
  });
}

/** Whether this key has already met its fault; without a key, every request is a new one and meets it again. */
export async function faultHasStruck(work: Work): Promise<boolean> {
  if (work.idempotencyKey === null) return false;
  const { rowCount } = await work.tx.query('SELECT 1 FROM struck_faults WHERE key = $1', [
    work.idempotencyKey,
  ]);
  return rowCount === 1;
}

export async function pruneKeys(pool: Pool, nowMs: number): Promise<void> {
  await pool.query('DELETE FROM idempotency_keys WHERE created_ms <= $1', [nowMs - KEY_LIFETIME_MS]);
  await pool.query('DELETE FROM struck_faults WHERE created_ms <= $1', [nowMs - KEY_LIFETIME_MS]);
}

async function run(tx: Queryable, call: Call, effect: Effect, log: FastifyBaseLogger) {
  const work: Work = { tx, ...call, events: [] };
  await tx.query('SAVEPOINT before_effect');
  try {
    return { execution: executed(call, await effect(work), work.events), struck: false };
  } catch (error) {
    await tx.query('ROLLBACK TO SAVEPOINT before_effect');
    if (error instanceof FaultStrike) return { execution: executed(call, error.response, []), struck: true };
    return { execution: executed(call, refusal(error, log), []), struck: false };
  }
}

// A bug of ours is stored like Stripe's own 500s: the same key keeps returning the same 500.
function refusal(error: unknown, log: FastifyBaseLogger): ApiResponse {
  const explained = asApiError(error);
  if (!explained) log.error({ err: error }, 'an endpoint failed');
  const { status, body } = explained ?? internalError();
  return { status, body: { error: body }, delivery: 'plain' };
}

function executed(call: Call, response: ApiResponse, events: string[]): Execution {
  const originalRequest = call.idempotencyKey === null ? null : call.requestId;
  const { status, delivery } = response;
  return { status, body: JSON.stringify(response.body), delivery, events, originalRequest, replayed: false };
}

async function lockKey(tx: Queryable, key: string): Promise<boolean> {
  const { rows } = await tx.query<{ locked: boolean }>(
    "SELECT pg_try_advisory_xact_lock(hashtextextended('idempotency ' || $1, 0)) AS locked",
    [key],
  );
  return rows[0]?.locked === true;
}

async function findKey(tx: Queryable, key: string, nowMs: number): Promise<StoredKey | undefined> {
  const { rows } = await tx.query<StoredKey>(
    'SELECT * FROM idempotency_keys WHERE key = $1 AND created_ms > $2',
    [key, nowMs - KEY_LIFETIME_MS],
  );
  return rows[0];
}

async function replay(
  tx: Queryable,
  key: string,
  stored: StoredKey,
  endpoint: string,
  fingerprint: string,
): Promise<Execution> {
  if (stored.endpoint !== endpoint) throw keyReusedOnOtherEndpoint(key, endpoint, stored.endpoint);
  if (stored.fingerprint !== fingerprint) throw keyReusedWithOtherParameters(key);
  const reset = stored.resets_left > 0;
  if (reset)
    await tx.query('UPDATE idempotency_keys SET resets_left = resets_left - 1 WHERE key = $1', [key]);
  return {
    status: stored.status,
    body: stored.body,
    delivery: reset ? 'reset' : 'plain',
    events: [],
    originalRequest: stored.original_request,
    replayed: true,
  };
}

// An expired row may still be there, waiting to be pruned: the new first use takes its place.
async function storeKey(
  tx: Queryable,
  key: string,
  endpoint: string,
  fingerprint: string,
  call: Call,
  execution: Execution,
): Promise<void> {
  const resets = execution.delivery === 'reset' ? RESETS_AFTER_THE_FIRST : 0;
  await tx.query(
    `INSERT INTO idempotency_keys VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (key) DO UPDATE SET endpoint = excluded.endpoint, fingerprint = excluded.fingerprint,
       original_request = excluded.original_request, status = excluded.status, body = excluded.body,
       resets_left = excluded.resets_left, created_ms = excluded.created_ms`,
    [key, endpoint, fingerprint, call.requestId, execution.status, execution.body, resets, call.nowMs],
  );
}
