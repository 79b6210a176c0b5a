import type { FieldDigests } from '../field-digests.ts';
import type { OperationRecord, OperationRef, Status } from '../record.ts';
import type { Statement } from './sql-driver.ts';

/** A record as SQL returns it, and its conversion. */
export interface RecordRow {
  tenant_id: string;
  id: string;
  operation: string;
  key: string;
  fingerprint: string;
  fingerprint_version: number;
  field_digests: FieldDigests | null;
  principal: string;
  status: Status;
  attempt: number;
  lease_expired: boolean;
  recovery_point: string;
  effect_sent: boolean;
  response_status: number | null;
  response_body: Uint8Array | null;
  response_key_id: string | null;
  response_schema_version: number | null;
  resource_type: string | null;
  resource_id: string | null;
  last_error_code: string | null;
  check_count: number;
  created_at: Date;
  updated_at: Date;
  completed_at: Date | null;
}

export const recordColumnNames: readonly (keyof RecordRow)[] = [
  'tenant_id',
  'id',
  'operation',
  'key',
  'fingerprint',
  'fingerprint_version',
  'field_digests',
  'principal',
  'status',
  'attempt',
  'lease_expired',
  'recovery_point',
  'effect_sent',
  'response_status',
  'response_body',
  'response_key_id',
  'response_schema_version',
  'resource_type',
  'resource_id',
  'last_error_code',
  'check_count',
  'created_at',
  'updated_at',
  'completed_at',
];

/** Columns of a `RecordRow`, of the table or alias `r`. Whether a lease is over is decided by the database's clock. */
export function columnsOf(names: readonly (keyof RecordRow)[]): string {
  return names
    .map((name) =>
      name === 'lease_expired'
        ? 'coalesce(r.lease_until <= statement_timestamp(), false) AS lease_expired'
        : `r.${name}`,
    )
    .join(', ');
}

export const recordColumns = columnsOf(recordColumnNames);

/**
 * Joins the record to a row of `given`. The id alone names it; with the operation and the key, either unique index finds it
 * by one lookup. A plan that was made while the table was empty, when all indexes seemed alike, is then right for good.
 */
export const sameRecord =
  'r.tenant_id = given.tenant_id AND r.id = given.id AND r.operation = given.operation AND r.key = given.key';

export function findStatement(refs: readonly OperationRef[]): Statement {
  return {
    name: 'find',
    text: `
      SELECT ${recordColumns} FROM unnest($1::text[], $2::uuid[]) AS given (tenant_id, id)
      JOIN idempotency_record r ON r.tenant_id = given.tenant_id AND r.id = given.id`,
    values: [refs.map(({ tenantId }) => tenantId), refs.map(({ id }) => id)],
  };
}

/**
 * Results are assigned to callers by this name, never by their position. PostgreSQL returns a uuid in small letters, however it
 * was asked for.
 */
export function nameOf({ tenantId, id }: OperationRef): string {
  return `${tenantId}/${id.toLowerCase()}`;
}

export function recordOf(row: RecordRow): OperationRecord {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    operation: row.operation,
    key: row.key,
    fingerprint: row.fingerprint,
    fingerprintVersion: row.fingerprint_version,
    fieldDigests: row.field_digests ?? undefined,
    principal: row.principal,
    status: row.status,
    attempt: row.attempt,
    leaseExpired: row.lease_expired,
    recoveryPoint: row.recovery_point,
    effectSent: row.effect_sent,
    response: responseOf(row),
    resource:
      row.resource_type !== null && row.resource_id !== null
        ? { type: row.resource_type, id: row.resource_id }
        : undefined,
    lastErrorCode: row.last_error_code ?? undefined,
    checkCount: row.check_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    completedAt: row.completed_at ?? undefined,
  };
}

function responseOf(row: RecordRow): OperationRecord['response'] {
  if (row.response_status === null || row.response_body === null) return undefined;
  if (row.response_key_id === null || row.response_schema_version === null) return undefined;
  return {
    status: row.response_status,
    body: row.response_body,
    keyId: row.response_key_id,
    schemaVersion: row.response_schema_version,
  };
}
