import type { Changes } from './changes.ts';

/*
 * The statement that commits several requests. Each is granted or refused by itself: it is granted if the rows that it
 * read still have the versions that it read, and if its key is not stored yet; otherwise none of its rows is written.
 * Requests are numbered from 1, and every row is given with the number of its request. Rows are locked and keys are
 * inserted in one order, so that two statements wait for each other in turn and do not deadlock.
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

/** What one request writes. Its key is stored together with its changes. */
export interface Commit {
  changes: Changes;
  key: KeyRow | undefined;
}

export interface Statement {
  name: string;
  text: string;
  values: unknown[];
}

export interface CommitResult {
  /** The numbers of the requests that were written. */
  granted: number[];
  deliveries: number;
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

/** The rows that the request read and changes: they must still be as they were read. */
export function readRowsOf({ changes }: Commit): { id: string; version: number }[] {
  return ROWS.flatMap((rows) => [...changes[rows].values()]).filter(({ version }) => version > 0);
}

/** Parts that write nothing are left out: even an empty part opens its table and all its indexes. */
export function statementFor(commits: readonly Commit[]): Statement {
  const name: string[] = ['commit'];
  const parts: string[] = [];
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const add = (part: string, sql: string) => {
    // PostgreSQL keeps 63 characters of a name, and the names of all parts together are longer.
    name.push(part.replace(/([a-z]{3})[a-z]*$/, '$1'));
    parts.push(sql);
  };
  /** The rows of all requests, and for each the number of its request. */
  const given = <Row>(rowsOf: (commit: Commit) => Iterable<Row>): Given<Row> => {
    const numbered = commits.flatMap((commit, index) =>
      [...rowsOf(commit)].map((row) => ({ row, request: index + 1 })),
    );
    return { rows: numbered.map(({ row }) => row), requests: numbered.map(({ request }) => request) };
  };
  const bindGiven = ({ rows, requests }: Given<unknown>) =>
    [bind(JSON.stringify(rows)), bind(requests)] as const;

  const locked = ROWS.flatMap((rows) => {
    const read = given(({ changes }) => [...changes[rows].values()].filter(({ version }) => version > 0));
    if (read.rows.length === 0) return [];
    const [ids, versions] = [read.rows.map(({ id }) => id), read.rows.map(({ version }) => version)];
    add(`read_${rows}`, lockedRows(rows, bind(ids), bind(versions), bind(read.requests)));
    return [`SELECT request FROM locked_${rows}`];
  });
  const counts = bind(commits.map((commit) => readRowsOf(commit).length));
  parts.push(readyRequests(counts, locked));

  const keys = bind(commits.map(({ key }) => key?.key ?? null));
  const keyRows = commits.flatMap(({ key }) => key ?? []);
  if (keyRows.length > 0) add('key', storedKeys(bind(JSON.stringify(keyRows)), keys));
  parts.push(grantedRequests(keys, keyRows.length > 0));

  for (const rows of ROWS) {
    const changed = given<unknown>(({ changes }) => changes[rows].values());
    if (changed.rows.length > 0) add(rows, writtenRows(rows, ...bindGiven(changed)));
  }
  const endpoints = given(({ changes }) => changes.endpoints);
  if (endpoints.rows.length > 0) add('endpoints', writtenEndpoints(...bindGiven(endpoints)));
  const events = given(({ changes }) => changes.events);
  if (events.rows.length > 0) add('events', writtenEvents(...bindGiven(events)));

  const deliveries = events.rows.length > 0 ? '(SELECT count(*) FROM deliveries)' : '0::bigint';
  const text = `WITH ${parts.join(',\n')}
    SELECT ARRAY (SELECT request FROM granted) AS granted, ${deliveries} AS deliveries`;
  return { name: name.join(' '), text, values };
}

interface Given<Row> {
  rows: Row[];
  requests: number[];
}

const IS_GRANTED = '= ANY (ARRAY (SELECT request FROM granted))';

function lockedRows(rows: RowsName, ids: string, versions: string, requests: string): string {
  return `locked_${rows} AS (
    SELECT given.request FROM unnest(${ids}::text[], ${versions}::int[], ${requests}::int[]) AS given (id, version, request)
      JOIN ${TABLES[rows].table} stored ON stored.id = given.id AND stored.version = given.version
    ORDER BY stored.id FOR NO KEY UPDATE OF stored)`;
}

/** Requests that have read nothing, and those all of whose rows are as they were read. */
function readyRequests(counts: string, locked: string[]): string {
  const without = `SELECT request::int FROM unnest(${counts}::int[]) WITH ORDINALITY AS read (count, request) WHERE count = 0`;
  if (locked.length === 0) return `ready AS (${without})`;
  return `ready AS (${without} UNION ALL SELECT request FROM (${locked.join(' UNION ALL ')}) locked
    GROUP BY request HAVING count(*) = (${counts}::int[])[request])`;
}

// A key that has expired and is not pruned yet is overwritten by the new first use of it.
function storedKeys(rows: string, keys: string): string {
  return `stored_keys AS (
    INSERT INTO idempotency_keys
    SELECT given.* FROM json_populate_recordset(NULL::idempotency_keys, ${rows}) given
    WHERE array_position(${keys}::text[], given.key) = ANY (ARRAY (SELECT request FROM ready))
    ORDER BY given.key
    ON CONFLICT (key) DO UPDATE SET endpoint = excluded.endpoint, fingerprint = excluded.fingerprint,
      original_request = excluded.original_request, status = excluded.status, body = excluded.body,
      resets_left = excluded.resets_left, created_ms = excluded.created_ms
      WHERE idempotency_keys.created_ms <= excluded.created_ms - ${KEY_LIFETIME_MS}
    RETURNING key)`;
}

function grantedRequests(keys: string, anyStored: boolean): string {
  const withoutKey = `SELECT request FROM ready WHERE (${keys}::text[])[request] IS NULL`;
  if (!anyStored) return `granted AS (${withoutKey})`;
  return `granted AS (${withoutKey} UNION ALL SELECT array_position(${keys}::text[], key) FROM stored_keys)`;
}

function writtenRows(rows: RowsName, given: string, requests: string): string {
  const { table, columns } = TABLES[rows];
  const assignments = columns.split(',').map((column) => `${column} = excluded.${column.trim()}`);
  return `written_${rows} AS (
    INSERT INTO ${table} (id, version, ${columns})
    SELECT id, version + 1, ${columns}
    FROM ROWS FROM (json_populate_recordset(NULL::${table}, ${given}), unnest(${requests}::int[])) AS given
    WHERE given.unnest ${IS_GRANTED}
    ON CONFLICT (id) DO UPDATE SET version = excluded.version, ${assignments.join(', ')})`;
}

function writtenEndpoints(given: string, requests: string): string {
  return `written_endpoints AS (
    INSERT INTO webhook_endpoints (${ENDPOINT_COLUMNS})
    SELECT ${ENDPOINT_COLUMNS}
    FROM ROWS FROM (json_populate_recordset(NULL::webhook_endpoints, ${given}), unnest(${requests}::int[])) AS given
    WHERE given.unnest ${IS_GRANTED})`;
}

function writtenEvents(given: string, requests: string): string {
  return `new_events AS (
    SELECT event.* FROM ROWS FROM (json_to_recordset(${given}) AS (id text, type text, api_version text,
      payment_intent text, object json, previous_attributes json, request text, idempotency_key text, created bigint,
      held boolean, due_ms bigint, created_ms bigint, copies integer), unnest(${requests}::int[]))
      WITH ORDINALITY AS event
    WHERE event.unnest ${IS_GRANTED}),
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
