import { hash } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import { Changes } from '../store/changes.ts';
import { KEY_LIFETIME_MS, type KeyRow } from '../store/commit-statement.ts';
import type { Committer } from '../store/committer.ts';
import type { Pool, Queryable } from '../store/database.ts';
import type { RowReader } from '../store/read-rows.ts';
import {
  asApiError,
  errorBody,
  internalError,
  keyReusedOnOtherEndpoint,
  keyReusedWithOtherParameters,
  lockTimeout,
} from './api-error.ts';
import { type ApiResponse, type Call, InjectedFault, type SendMode, type Work } from './response.ts';

/*
 * A key goes through two stages. New: the endpoint runs, which only reads, and one statement writes its changes together
 * with the response under the key, so that a crash leaves both or neither, and the unique key lets one of several
 * requests write. Stored: every later request with the same parameters gets the same status and bytes, and a different
 * one is refused, until 24 hours have passed. While a request is under way, this process refuses its key with a 409.
 */

// stripe-node retries a closed connection once even when retries are off. Its retry would hide a single reset from the
// application, so the first replay is reset as well.
const FURTHER_RESETS = 1;

// Each round that fails means that another request has committed, so many rounds mean very many requests about one object.
const MAX_ROUNDS = 100;

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

export type Effect = (work: Work) => Promise<ApiResponse>;

export interface Store {
  pool: Pool;
  committer: Committer;
  reader: RowReader;
}

export async function executeOnce(
  store: Store,
  call: Call,
  request: RequestIdentity,
  effect: Effect,
  log: FastifyBaseLogger,
): Promise<Execution> {
  const { pool, committer } = store;
  const key = call.idempotencyKey;
  const fingerprint = hash('sha256', request.canonicalParameters);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const { execution, changes, injected } = await run(store, call, effect, log);
    if (injected) {
      if (key !== null) {
        const stored = await findKey(pool, key, call.nowMs);
        if (stored) return replay(pool, stored, request.endpoint, fingerprint);
        await markInjected(pool, key, call.nowMs);
      }
      return execution;
    }
    if (key === null && changes.isEmpty) return execution;
    const row = key === null ? undefined : keyRow(key, request.endpoint, fingerprint, call, execution);
    if (await committer.commit(changes, row)) return execution;
    const stored = key === null ? undefined : await findKey(pool, key, call.nowMs);
    if (stored) return replay(pool, stored, request.endpoint, fingerprint);
  }
  throw lockTimeout();
}

/** What the sandbox does by itself: the same commit, without a key and without a response. */
export async function commitWork<T>(
  { pool, reader, committer }: Store,
  apiVersion: string,
  nowMs: number,
  run: (work: Work) => Promise<T>,
): Promise<T> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const changes = new Changes();
    const result = await run({
      db: pool,
      reader,
      changes,
      requestId: null,
      idempotencyKey: null,
      apiVersion,
      nowMs,
    });
    if (changes.isEmpty || (await committer.commit(changes))) return result;
  }
  throw lockTimeout();
}

/** Whether a fault was already injected under this key. Without a key every request is a new one and gets the fault. */
export async function wasFaultInjected(work: Work): Promise<boolean> {
  if (work.idempotencyKey === null) return false;
  const { rowCount } = await work.db.query('SELECT 1 FROM injected_faults WHERE key = $1', [
    work.idempotencyKey,
  ]);
  return rowCount === 1;
}

export async function pruneKeys(pool: Pool, nowMs: number): Promise<void> {
  await pool.query('DELETE FROM idempotency_keys WHERE created_ms <= $1', [nowMs - KEY_LIFETIME_MS]);
  await pool.query('DELETE FROM injected_faults WHERE created_ms <= $1', [nowMs - KEY_LIFETIME_MS]);
}

async function run({ pool, reader }: Store, call: Call, effect: Effect, log: FastifyBaseLogger) {
  const changes = new Changes();
  try {
    const response = await effect({ db: pool, reader, changes, ...call });
    return { execution: executed(call, response, changes), changes, injected: false };
  } catch (error) {
    const nothing = new Changes();
    const injected = error instanceof InjectedFault;
    const response = injected ? error.response : errorResponse(error, call, log);
    return { execution: executed(call, response, nothing), changes: nothing, injected };
  }
}

// A bug of the sandbox is stored as Stripe stores its own 500s: the key keeps returning the same 500.
function errorResponse(error: unknown, call: Call, log: FastifyBaseLogger): ApiResponse {
  const expected = asApiError(error);
  if (!expected) log.error({ err: error }, 'an endpoint failed');
  const { status, body } = expected ?? internalError();
  return { status, body: errorBody(body, call), sendMode: 'plain' };
}

function executed(call: Call, response: ApiResponse, { events }: Changes): Execution {
  const { status, sendMode } = response;
  return {
    status,
    body: JSON.stringify(response.body),
    sendMode,
    events: events.map(({ id }) => id),
    originalRequest: call.idempotencyKey === null ? null : call.requestId,
    replayed: false,
  };
}

function keyRow(
  key: string,
  endpoint: string,
  fingerprint: string,
  call: Call,
  { status, body, sendMode }: Execution,
): KeyRow {
  return {
    key,
    endpoint,
    fingerprint,
    original_request: call.requestId,
    status,
    body,
    resets_left: sendMode === 'reset' ? FURTHER_RESETS : 0,
    created_ms: call.nowMs,
  };
}

async function findKey(db: Queryable, key: string, nowMs: number): Promise<KeyRow | undefined> {
  const { rows } = await db.query<KeyRow>({
    name: 'find_key',
    text: 'SELECT * FROM idempotency_keys WHERE key = $1 AND created_ms > $2',
    values: [key, nowMs - KEY_LIFETIME_MS],
  });
  return rows[0];
}

async function markInjected(db: Queryable, key: string, nowMs: number): Promise<void> {
  await db.query('INSERT INTO injected_faults (key, created_ms) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    key,
    nowMs,
  ]);
}

async function replay(
  db: Queryable,
  stored: KeyRow,
  endpoint: string,
  fingerprint: string,
): Promise<Execution> {
  const { key } = stored;
  if (stored.endpoint !== endpoint) throw keyReusedOnOtherEndpoint(key, endpoint, stored.endpoint);
  if (stored.fingerprint !== fingerprint) throw keyReusedWithOtherParameters(key);
  const reset = stored.resets_left > 0;
  if (reset)
    await db.query('UPDATE idempotency_keys SET resets_left = resets_left - 1 WHERE key = $1', [key]);
  return {
    status: stored.status,
    body: stored.body,
    sendMode: reset ? 'reset' : 'plain',
    events: [],
    originalRequest: stored.original_request,
    replayed: true,
  };
}
