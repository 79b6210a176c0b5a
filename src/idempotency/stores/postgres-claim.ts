import { type Claim, type Claimed, StoreUnavailable } from '../ports.ts';
import { firstRecoveryPoint, type OperationRecord } from '../record.ts';
import type { RowWrite } from '../row-statement.ts';
import {
  forOneOrMany,
  type GivenColumn,
  givenRows,
  type ItemCount,
  rowColumns,
  rowsFragment,
} from './given-rows.ts';
import {
  columnsOf,
  nameOf,
  type RecordRow,
  recordColumnNames,
  recordColumns,
  recordOf,
  sameRecord,
} from './postgres-record.ts';
import type { StatementOf } from './sql-driver.ts';

/** What is not known before the insert, and what shows that the row belongs to the claim. The rest is in the claim. */
const grantedColumns = ['tenant_id', 'id', 'key', 'lease_expired', 'created_at'] as const;

type GrantedRow = Pick<RecordRow, (typeof grantedColumns)[number]>;

type ClaimRow = ((GrantedRow & { granted: true }) | (RecordRow & { granted: false })) & {
  row_result: unknown;
};

const columns: readonly GivenColumn<Claim>[] = [
  { name: 'tenant_id', type: 'text', read: ({ tenantId }) => tenantId },
  { name: 'id', type: 'uuid', read: ({ id }) => id },
  { name: 'operation', type: 'text', read: ({ operation }) => operation },
  { name: 'key', type: 'text', read: ({ key }) => key },
  { name: 'fingerprint', type: 'text', read: ({ fingerprint }) => fingerprint },
  { name: 'fingerprint_version', type: 'integer', read: ({ fingerprintVersion }) => fingerprintVersion },
  { name: 'field_digests', type: 'text', read: ({ fieldDigests }) => JSON.stringify(fieldDigests) },
  { name: 'principal', type: 'text', read: ({ principal }) => principal },
  { name: 'lease_ms', type: 'bigint', read: ({ leaseMs }) => leaseMs },
  { name: 'effect_sent', type: 'boolean', read: ({ effectSent }) => effectSent },
];

/**
 * Reads the records that exist and inserts the others, in one statement. An existing record is not inserted at all, because
 * PostgreSQL makes an insert wait for a transaction that is changing the conflicting row. Under READ COMMITTED the
 * statement cannot see a row that was committed after it began, although that row stops its insert; such a claim gets no
 * row, and is tried again.
 */
export function writeClaimStatement(rowStatement: RowWrite['statement'] | undefined): StatementOf<Claim> {
  return forOneOrMany((count) => writeFor(rowStatement, count));
}

function writeFor(rowStatement: RowWrite['statement'] | undefined, count: ItemCount): StatementOf<Claim> {
  const ofRows = rowStatement ? rowColumns<Claim>(rowStatement, ({ rows }) => rows) : [];
  const given = givenRows([...columns, ...ofRows], 1, count);
  const rows = rowStatement && rowsFragment(rowStatement, 'given JOIN inserted USING (tenant_id, id)');
  const result = resultOf(rowStatement);
  const name = `claim ${rowStatement?.name ?? ''} ${count}`;
  const text = `
    WITH ${given.relation},
    existing AS (
      SELECT ${recordColumns} FROM given
      JOIN idempotency_record r ON ${sameRecord}),
    inserted AS (
      INSERT INTO idempotency_record AS r (tenant_id, id, operation, key, fingerprint, fingerprint_version,
        field_digests, principal, status, attempt, lease_until, recovery_point, effect_sent, transition_actor,
        transition_cause, created_at, updated_at)
      SELECT tenant_id, id, operation, key, fingerprint, fingerprint_version, field_digests::jsonb, principal,
        'in_progress', 1, statement_timestamp() + lease_ms * interval '1 millisecond', '${firstRecoveryPoint}',
        effect_sent, 'request', 'claimed', date_trunc('milliseconds', statement_timestamp()), statement_timestamp()
      FROM given WHERE NOT EXISTS (
        SELECT FROM existing WHERE existing.tenant_id = given.tenant_id AND existing.id = given.id)
      ORDER BY tenant_id, id
      ON CONFLICT DO NOTHING
      RETURNING ${columnsOf(grantedColumns)})${rows ? `,\n${rows}` : ''}
    SELECT false AS granted, existing.*, NULL::json AS row_result FROM existing
    UNION ALL
    SELECT true, ${insertedColumns}, ${result.column} FROM inserted ${result.join}`;
  return (claims) => ({ name, text, values: given.valuesOf(claims) });
}

/** In the order of a record's columns. */
const insertedColumns = recordColumnNames
  .map((column) => ((grantedColumns as readonly string[]).includes(column) ? `inserted.${column}` : 'NULL'))
  .join(', ');

function resultOf(rowStatement: RowWrite['statement'] | undefined): { column: string; join: string } {
  if (!rowStatement?.resultOf) return { column: 'NULL::json', join: '' };
  return {
    column: 'CASE WHEN result.tenant_id IS NOT NULL THEN row_to_json(result) END',
    join: 'LEFT JOIN result ON result.tenant_id = inserted.tenant_id AND result.record_id = inserted.id',
  };
}

/**
 * In the order of the claims. The id of a record is derived from its tenant, operation and key, so a row with the id of a claim
 * and another key belongs to another statement, and nothing may be concluded from it.
 */
export function readClaims(claims: readonly Claim[], rows: readonly ClaimRow[]): (Claimed | undefined)[] {
  const byName = new Map(rows.map((row) => [nameOf({ tenantId: row.tenant_id, id: row.id }), row]));
  const asked = new Set(claims.map(nameOf));
  if ([...byName.keys()].some((name) => !asked.has(name))) {
    throw new StoreUnavailable(new Error('The database returned rows of another statement.'));
  }
  return claims.map((claim) => {
    const row = byName.get(nameOf(claim));
    if (!row) return undefined;
    if (row.key !== claim.key) {
      throw new StoreUnavailable(new Error(`The database returned a record of another key as ${claim.id}.`));
    }
    if (!row.granted) return { granted: false, record: recordOf(row) };
    const read = claim.rows?.statement.resultOf;
    const rowResult = read && row.row_result !== null ? read(row.row_result as never) : undefined;
    return { granted: true, record: newRecordOf(claim, row), rowResult };
  });
}

/** The record as it was inserted. To read it back would cost the database and the process more than the decision itself. */
function newRecordOf(claim: Claim, row: GrantedRow): OperationRecord {
  const { id, tenantId, operation, key, fingerprint, fingerprintVersion, fieldDigests, principal } = claim;
  return {
    id,
    tenantId,
    operation,
    key,
    fingerprint,
    fingerprintVersion,
    fieldDigests,
    principal,
    status: 'in_progress',
    attempt: 1,
    leaseExpired: row.lease_expired,
    recoveryPoint: firstRecoveryPoint,
    effectSent: claim.effectSent,
    response: undefined,
    resource: undefined,
    lastErrorCode: undefined,
    checkCount: 0,
    createdAt: row.created_at,
    updatedAt: row.created_at,
    completedAt: undefined,
  };
}
