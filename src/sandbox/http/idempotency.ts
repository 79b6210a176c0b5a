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
import { type ApiResponse, type Call, InjectedFault, type SendMode, type Work } from './response.ts';

/*
 * A key goes through three stages. New: the endpoint runs, and its result is stored in the transaction of its effect, so
 * that a crash leaves both or neither. In use: an advisory lock of that transaction makes a concurrent request with the
 * key end in 409; no row marks the key, so a crash cannot leave it stuck. Stored: every later request with the same
 * parameters gets the same status and bytes, and a different one is refused, until 24 hours have passed.
 */

// Stripe documents that keys may be pruned once they are at least 24 hours old.
const KEY_LIFETIME_MS = 24 * 60 * 60 * 1000;

// stripe-node retries a closed connection once even when retries are off. Its retry would hide a single reset from the
// application, so the first replay is reset as well.
const FURTHER_RESETS = 1;

export interface RequestIdentity {
  endpoint: string;
  canonicalParameters: string;
}

export interface Execution {
  status: number;
  /** Serialised once, so that the stored, the sent and the replayed bytes are the same. */
  body: string;
  sendMode: SendMode;
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
  request: RequestIdentity,
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

    const { execution, injected } = await run(tx, call, effect, log);
    if (injected) {
      await tx.query('INSERT INTO injected_faults (key, created_ms) VALUES ($1, $2)', [key, call.nowMs]);
    } else {
      await storeKey(tx, key, request.endpoint, fingerprint, call, execution);
    }
    return execution;
  });
}

/** Whether a fault was already injected under this key. Without a key every request is a new one and gets the fault. */
export async function wasFaultInjected(work: Work): Promise<boolean> {
  if (work.idempotencyKey === null) return false;
  const { rowCount } = await work.tx.query('SELECT 1 FROM injected_faults WHERE key = $1', [
    work.idempotencyKey,
  ]);
  return rowCount === 1;
}

export async function pruneKeys(pool: Pool, nowMs: number): Promise<void> {
  await pool.query('DELETE FROM idempotency_keys WHERE created_ms <= $1', [nowMs - KEY_LIFETIME_MS]);
  await pool.query('DELETE FROM injected_faults WHERE created_ms <= $1', [nowMs - KEY_LIFETIME_MS]);
}

async function run(tx: Queryable, call: Call, effect: Effect, log: FastifyBaseLogger) {
  const work: Work = { tx, ...call, events: [] };
  await tx.query('SAVEPOINT before_effect');
  try {
    return { execution: executed(call, await effect(work), work.events), injected: false };
  } catch (error) {
    await tx.query('ROLLBACK TO SAVEPOINT before_effect');
    if (error instanceof InjectedFault)
      return { execution: executed(call, error.response, []), injected: true };
    return { execution: executed(call, errorResponse(error, log), []), injected: false };
  }
}

// A bug of the sandbox is stored as Stripe stores its own 500s: the key keeps returning the same 500.
function errorResponse(error: unknown, log: FastifyBaseLogger): ApiResponse {
  const expected = asApiError(error);
  if (!expected) log.error({ err: error }, 'an endpoint failed');
  const { status, body } = expected ?? internalError();
  return { status, body: { error: body }, sendMode: 'plain' };
}

function executed(call: Call, response: ApiResponse, events: string[]): Execution {
  const originalRequest = call.idempotencyKey === null ? null : call.requestId;
  const { status, sendMode } = response;
  return { status, body: JSON.stringify(response.body), sendMode, events, originalRequest, replayed: false };
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
    sendMode: reset ? 'reset' : 'plain',
    events: [],
    originalRequest: stored.original_request,
    replayed: true,
  };
}

// An expired row that is not pruned yet is overwritten by the new first use of its key.
async function storeKey(
  tx: Queryable,
  key: string,
  endpoint: string,
  fingerprint: string,
  call: Call,
  execution: Execution,
): Promise<void> {
  const resets = execution.sendMode === 'reset' ? FURTHER_RESETS : 0;
  await tx.query(
    `INSERT INTO idempotency_keys VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (key) DO UPDATE SET endpoint = excluded.endpoint, fingerprint = excluded.fingerprint,
       original_request = excluded.original_request, status = excluded.status, body = excluded.body,
       resets_left = excluded.resets_left, created_ms = excluded.created_ms`,
    [key, endpoint, fingerprint, call.requestId, execution.status, execution.body, resets, call.nowMs],
  );
}
