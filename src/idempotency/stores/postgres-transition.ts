import { hash } from 'node:crypto';
import type { Transition } from '../ports.ts';
import type { RowWrite } from '../row-statement.ts';
import {
  forOneOrMany,
  type GivenColumn,
  givenRows,
  type ItemCount,
  rowColumns,
  rowsFragment,
} from './given-rows.ts';
import { sameRecord } from './postgres-record.ts';
import type { StatementOf } from './sql-driver.ts';
import { storableJson, storableText } from './storable.ts';

export interface TransitionItem {
  readonly transition: Transition;
  readonly rows?: RowWrite;
}

type Parameter = GivenColumn<Transition>;

/** The values of every transition: the record, the condition, and the reason. */
const parameters: readonly Parameter[] = [
  { name: 'tenant_id', type: 'text', read: ({ record }) => record.tenantId },
  { name: 'id', type: 'uuid', read: ({ record }) => record.id },
  { name: 'operation', type: 'text', read: ({ record }) => record.operation },
  { name: 'key', type: 'text', read: ({ record }) => record.key },
  { name: 'created_at', type: 'timestamptz', read: ({ record }) => record.createdAt.toISOString() },
  { name: 'attempt', type: 'integer', read: ({ when }) => when.attempt },
  { name: 'actor', type: 'text', read: ({ reason }) => storableText(reason.actor) },
  { name: 'cause', type: 'text', read: ({ reason }) => storableText(reason.cause) },
  {
    name: 'evidence',
    type: 'text',
    read: ({ reason }) => (reason.evidence ? storableJson(reason.evidence) : null),
  },
];

interface Change extends Parameter {
  /** The part of a transition that the value comes from. A transition without it leaves the column as it is. */
  readonly part: keyof Transition;
  /** The column that it sets; its name, unless given. */
  readonly column?: string;
  /** The new value; the parameter, unless given. */
  readonly value?: string;
}

const inMs = (name: string) => `statement_timestamp() + given.${name} * interval '1 millisecond'`;

/** Optional values of a transition. */
const changes: readonly Change[] = [
  {
    part: 'leaseMs',
    name: 'lease_ms',
    type: 'bigint',
    column: 'lease_until',
    value: inMs('lease_ms'),
    read: (t) => t.leaseMs,
  },
  { part: 'recoveryPoint', name: 'recovery_point', type: 'text', read: (t) => t.recoveryPoint },
  { part: 'effectSent', name: 'effect_sent', type: 'boolean', read: (t) => t.effectSent },
  { part: 'response', name: 'response_status', type: 'integer', read: ({ response }) => response?.status },
  {
    part: 'response',
    name: 'response_body',
    type: 'text',
    value: `decode(given.response_body, 'base64')`,
    read: ({ response }) => response && Buffer.from(response.body).toString('base64'),
  },
  { part: 'response', name: 'response_key_id', type: 'text', read: ({ response }) => response?.keyId },
  {
    part: 'response',
    name: 'response_schema_version',
    type: 'integer',
    read: ({ response }) => response?.schemaVersion,
  },
  {
    part: 'resource',
    name: 'resource_type',
    type: 'text',
    read: ({ resource }) => resource && storableText(resource.type),
  },
  {
    part: 'resource',
    name: 'resource_id',
    type: 'text',
    read: ({ resource }) => resource && storableText(resource.id),
  },
  {
    part: 'errorCode',
    name: 'last_error_code',
    type: 'text',
    read: ({ errorCode }) => errorCode && storableText(errorCode),
  },
  {
    part: 'checkInMs',
    name: 'check_in_ms',
    type: 'bigint',
    column: 'next_check_at',
    value: inMs('check_in_ms'),
    read: (t) => t.checkInMs,
  },
  {
    part: 'retention',
    name: 'replay_ms',
    type: 'bigint',
    column: 'expires_at',
    value: inMs('replay_ms'),
    read: ({ retention }) => retention?.replayMs,
  },
  {
    part: 'retention',
    name: 'body_ms',
    type: 'bigint',
    column: 'body_purge_at',
    value: inMs('body_ms'),
    read: ({ retention }) => retention?.bodyMs,
  },
  {
    part: 'retention',
    name: 'metadata_ms',
    type: 'bigint',
    column: 'delete_at',
    value: inMs('metadata_ms'),
    read: ({ retention }) => retention?.metadataMs,
  },
];

/** Each part once. */
const parts = [...new Set(changes.map(({ part }) => part))];

/** What follows from the new status, without values. */
function assignmentsOf({ to, nextAttempt }: Transition): string[] {
  if (to === 'in_progress') {
    return nextAttempt
      ? [
          'attempt = r.attempt + 1',
          'expires_at = NULL',
          'check_count = 0',
          'last_checked_at = NULL',
          'scheduled_check_at = NULL',
        ]
      : [];
  }
  if (to === 'unknown') return ['lease_until = NULL', 'unknown_since = statement_timestamp()'];
  return [
    'lease_until = NULL',
    'next_check_at = NULL',
    'escalated_at = NULL',
    `resolved_at = CASE WHEN r.status = 'unknown' THEN statement_timestamp() ELSE r.resolved_at END`,
    ...(to === 'completed' ? ['completed_at = statement_timestamp()'] : []),
  ];
}

/**
 * Transitions of one shape have the same statement, except for their values, so callers can share it. The shape is the
 * statuses, which optional values are present, and the row statement.
 */
export function shapeOf({ transition, rows }: TransitionItem): string {
  const { when, to, nextAttempt } = transition;
  // Every transition is asked for its shape, so this converts no value.
  let shape = `${when.status.join('|')}>${to}${nextAttempt ? ' next' : ''}${when.leaseExpired ? ' expired' : ''}`;
  for (const part of parts) if (transition[part] !== undefined) shape += ` ${part}`;
  return rows ? `${shape} with ${rows.statement.name}` : shape;
}

/**
 * Every change of a record but its insert and its ageing. Whether a row is changed is decided row by row, by the status and
 * the attempt; the others get no row back. The statement's own time is used throughout: a statement that waited for a row
 * lock grants a shorter lease and sees fewer leases as expired, which is the safe side of both.
 *
 * The items have the shape of the example.
 */
export function writeTransitionStatement(example: TransitionItem): StatementOf<TransitionItem> {
  return forOneOrMany((count) => writeFor(example, count));
}

function writeFor(example: TransitionItem, count: ItemCount): StatementOf<TransitionItem> {
  const { transition: first, rows: write } = example;
  const present = changes.filter(({ part }) => first[part] !== undefined);
  const ofRows = write ? rowColumns<TransitionItem>(write.statement, ({ rows }) => rows) : [];
  const given = givenRows([...[...parameters, ...present].map(ofItem), ...ofRows], 2, count);
  const assignments = [
    ...statusAssignment(first),
    ...assignmentsOf(first),
    ...present.map(({ name, column = name, value = `given.${name}` }) => `${column} = ${value}`),
    'transition_actor = given.actor',
    'transition_cause = given.cause',
    'transition_evidence = given.evidence::jsonb',
    'updated_at = statement_timestamp()',
  ];
  const conditions = [
    sameRecord,
    'r.created_at = given.created_at',
    'r.attempt = given.attempt',
    // Not `= ANY`, which an index can look up: a plan made while the table is empty would then read all records in progress,
    // and the indexes that name the one record would seem no better.
    'array_position($1::text[], r.status) IS NOT NULL',
    ...(first.when.leaseExpired ? ['r.lease_until <= statement_timestamp()'] : []),
  ];
  // PostgreSQL cuts names after 63 characters.
  const name = `transition ${count} ${hash('sha256', shapeOf(example), 'base64url').slice(0, 22)}`;
  const returned = ['r.tenant_id', 'r.id', ...ofRows.map((column) => `given.${column.name}`)];
  const update = `
    UPDATE idempotency_record r SET ${assignments.join(', ')}
    FROM given WHERE ${conditions.join(' AND ')}
    RETURNING ${returned.join(', ')}`;
  const text = write
    ? `WITH ${given.relation},\nchanged AS (${update}),
      ${rowsFragment(write.statement, 'changed')}\nSELECT tenant_id, id FROM changed`
    : `WITH ${given.relation}${update}`;
  return (items) => ({ name, text, values: [first.when.status, ...given.valuesOf(items)] });
}

function ofItem({ name, type, read }: Parameter): GivenColumn<TransitionItem> {
  return { name, type, read: ({ transition }) => read(transition) };
}

/** A phase leaves the record in progress. The status is then not set, so that triggers on it have nothing to evaluate. */
function statusAssignment({ when, to }: Transition): string[] {
  return when.status.every((from) => from === to) ? [] : [`status = '${to}'`];
}
