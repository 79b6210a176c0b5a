import type { Changes } from './changes.ts';
import { onlyRow, type Queryable } from './database.ts';

/*
 * One statement is one transaction: the stored response of the key, intent, charge, refund, events and their pending
 * deliveries are written together or not at all, in one round trip, and no transaction is ever open while the sandbox
 * computes. It replaces row locks by versions: a row that was read must still have the version that was read. If it has
 * another one, or if the key is already stored, nothing is written and the caller reads again.
 */

export interface KeyRow {
  key: string;
  endpoint: string;
  fingerprint: string;
  original_request: string;
  status: number;
  body: string;
  resets_left: number;
  created_ms: number;
}

export interface Listeners {
  /** Deliveries were committed. */
  deliveriesAdded(): void;
  /** A payment was committed that ends by itself, at a later time. */
  processingStarted(): void;
}

const TABLES = {
  intents: {
    table: 'payment_intents',
    columns: `status, amount, currency, payment_method, payment_method_types, allowed_payment_method_types,
      automatic_payment_methods, capture_method, metadata, description, receipt_email, return_url, statement_descriptor,
      statement_descriptor_suffix, next_action, last_payment_error, latest_charge, canceled_at, cancellation_reason,
      finishes_at_ms, client_secret, created`,
  },
  charges: {
    table: 'charges',
    columns: `payment_intent, status, amount, amount_refunded, currency, payment_method, metadata, description,
      receipt_email, statement_descriptor, statement_descriptor_suffix, authenticated, capture_method, failure, created`,
  },
  refunds: {
    table: 'refunds',
    columns: 'charge, payment_intent, amount, currency, reason, metadata, status, failure_reason, created',
  },
} as const;
type RowsName = keyof typeof TABLES;
const ROWS = Object.keys(TABLES) as RowsName[];

const ENDPOINT_COLUMNS = 'id, url, secret, enabled_events, description, metadata, api_version, created';
const EVENT_COLUMNS =
  'id, type, api_version, payment_intent, object, previous_attributes, request, idempotency_key, created';

/** Keys are stored for this long; Stripe documents that they may be pruned once they are at least 24 hours old. */
export const KEY_LIFETIME_MS = 24 * 60 * 60 * 1000;

export class Committer {
  readonly #listeners: Listeners;

  constructor(listeners: Listeners) {
    this.#listeners = listeners;
  }

  /** False: nothing was written, because a row has changed since it was read or because the key is stored already. */
  async commit(db: Queryable, changes: Changes, nowMs: number, key?: KeyRow): Promise<boolean> {
    const { rows } = await db.query<{ granted: boolean; deliveries: number }>(
      statementFor(changes, nowMs, key),
    );
    const { granted, deliveries } = onlyRow(rows);
    if (deliveries > 0) this.#listeners.deliveriesAdded();
    if (granted && changes.finishesLater) this.#listeners.processingStarted();
    return granted;
  }
}

interface Statement {
  name: string;
  text: string;
  values: unknown[];
}

/** Parts that write nothing are left out: even an empty part opens its table and all its indexes. */
function statementFor(changes: Changes, nowMs: number, key: KeyRow | undefined): Statement {
  const name: string[] = ['commit'];
  const parts: string[] = [];
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const add = (part: string, sql: string) => {
    name.push(part);
    parts.push(sql);
  };

  const read = ROWS.flatMap((rows) => [...changes[rows].values()]).filter(({ version }) => version > 0);
  if (read.length > 0) {
    const ids = bind(read.map(({ id }) => id));
    const versions = bind(JSON.stringify(Object.fromEntries(read.map(({ id, version }) => [id, version]))));
    const tables = ROWS.filter((rows) => [...changes[rows].values()].some(({ version }) => version > 0));
    for (const rows of tables) add(`read_${rows}`, unchangedRows(rows, ids, versions));
    const counts = tables.map((rows) => `(SELECT count(*) FROM unchanged_${rows})`);
    parts.push(`ready AS (SELECT 1 WHERE ${counts.join(' + ')} = cardinality(${ids}::text[]))`);
  } else parts.push('ready AS (SELECT 1)');

  if (key) add('key', storedKey(bind(JSON.stringify([key])), bind(nowMs - KEY_LIFETIME_MS)));
  parts.push(`granted AS (SELECT 1 FROM ${key ? 'stored_key' : 'ready'})`);

  for (const rows of ROWS) {
    const changed = [...changes[rows].values()];
    if (changed.length > 0) add(rows, writtenRows(rows, bind(JSON.stringify(changed))));
  }
  const { endpoints, events } = changes;
  if (endpoints.length > 0) add('endpoints', writtenEndpoints(bind(JSON.stringify(endpoints))));
  if (events.length > 0) add('events', writtenEvents(bind(JSON.stringify(events))));

  const deliveries = events.length > 0 ? '(SELECT count(*) FROM deliveries)' : '0::bigint';
  const text = `WITH ${parts.join(',\n')}
    SELECT EXISTS (SELECT FROM granted) AS granted, ${deliveries} AS deliveries`;
  return { name: name.join(' '), text, values };
}

function unchangedRows(rows: RowsName, ids: string, versions: string): string {
  return `unchanged_${rows} AS (
    SELECT 1 FROM ${TABLES[rows].table} WHERE id = ANY (${ids}::text[]) AND version = (${versions}::json ->> id)::int
    FOR NO KEY UPDATE)`;
}

// A key that has expired and is not pruned yet is overwritten by the new first use of it.
function storedKey(key: string, expiredMs: string): string {
  return `stored_key AS (
    INSERT INTO idempotency_keys
    SELECT key.* FROM json_populate_recordset(NULL::idempotency_keys, ${key}) key, ready
    ON CONFLICT (key) DO UPDATE SET endpoint = excluded.endpoint, fingerprint = excluded.fingerprint,
      original_request = excluded.original_request, status = excluded.status, body = excluded.body,
      resets_left = excluded.resets_left, created_ms = excluded.created_ms
      WHERE idempotency_keys.created_ms <= ${expiredMs}
    RETURNING 1)`;
}

function writtenRows(rows: RowsName, given: string): string {
  const { table, columns } = TABLES[rows];
  const assignments = columns.split(',').map((column) => `${column} = excluded.${column.trim()}`);
  return `written_${rows} AS (
    INSERT INTO ${table} (id, version, ${columns})
    SELECT id, version + 1, ${columns} FROM json_populate_recordset(NULL::${table}, ${given}), granted
    ON CONFLICT (id) DO UPDATE SET version = excluded.version, ${assignments.join(', ')})`;
}

function writtenEndpoints(given: string): string {
  return `written_endpoints AS (
    INSERT INTO webhook_endpoints (${ENDPOINT_COLUMNS})
    SELECT ${ENDPOINT_COLUMNS} FROM json_populate_recordset(NULL::webhook_endpoints, ${given}), granted)`;
}

function writtenEvents(given: string): string {
  return `new_events AS (
    SELECT event.* FROM ROWS FROM (json_to_recordset(${given}) AS (id text, type text, api_version text,
      payment_intent text, object json, previous_attributes json, request text, idempotency_key text, created bigint,
      held boolean, due_ms bigint, created_ms bigint, copies integer)) WITH ORDINALITY AS event, granted),
  written_events AS (
    INSERT INTO events (${EVENT_COLUMNS}) SELECT ${EVENT_COLUMNS} FROM new_events ORDER BY ordinality),
  deliveries AS (
    INSERT INTO webhook_deliveries (event, endpoint, held, due_ms, created_ms)
    SELECT event.id, endpoint.id, event.held, event.due_ms, event.created_ms
    FROM new_events event JOIN webhook_endpoints endpoint ON endpoint.enabled_events && ARRAY[event.type, '*'],
      generate_series(1, event.copies)
    ORDER BY event.ordinality, endpoint.sequence
    RETURNING 1)`;
}
