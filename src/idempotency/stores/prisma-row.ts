import { Prisma } from '#prisma';
import type { FieldDigests } from '../field-digests.ts';
import type { OperationRecord, Status } from '../record.ts';

/** A record as SQL returns it. */
export interface RecordRow {
  id: string;
  tenant_id: string;
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

export const recordColumns = Prisma.sql`
  id, tenant_id, operation, key, fingerprint, fingerprint_version, field_digests, principal, status, attempt,
  coalesce(lease_until <= clock_timestamp(), false) AS lease_expired, recovery_point, effect_sent,
  response_status, response_body, response_key_id, response_schema_version, resource_type, resource_id,
  last_error_code, check_count, created_at, updated_at, completed_at`;

export function firstRecord(rows: RecordRow[]): OperationRecord | undefined {
  return rows[0] && recordOf(rows[0]);
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
