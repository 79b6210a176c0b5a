import { Prisma } from '#prisma';
import { kinds, type OperationFilter } from './operation-filter.ts';
import { readSearch } from './search-words.ts';

const { sql, join } = Prisma;
type Sql = Prisma.Sql;

/** More than this under one name is not a name; the newest are shown, and the list says so. */
export const candidateLimit = 500;

/**
 * The operations that go by a name: each name is a look into an index of its own. Undefined when no name was given.
 * Whose they are is checked afterwards, on the rows.
 */
export function candidates(filter: OperationFilter, tenantIds: readonly string[]): Sql | undefined {
  const sets = [
    ...(filter.search === undefined ? [] : [bySearch(filter.search, tenantIds)]),
    ...(filter.reference === undefined ? [] : [byReference(filter.reference, tenantIds)]),
    ...(filter.key === undefined ? [] : [byKey(filter.key, tenantIds)]),
    ...(filter.misused ? [byMisuse(tenantIds)] : []),
  ];
  if (sets.length === 0) return undefined;
  // Several names: all of them have to fit.
  return sql`${join(
    sets.map(
      (branches) => sql`(SELECT id FROM (${join(branches, ' UNION ')}) AS found LIMIT ${candidateLimit})`,
    ),
    ' INTERSECT ',
  )}`;
}

function bySearch(typed: string, tenantIds: readonly string[]): Sql[] {
  const words = readSearch(typed);
  const payments = (where: Sql) => [
    sql`(SELECT operation_id AS id FROM payment WHERE ${where} LIMIT ${candidateLimit})`,
    sql`(SELECT f.operation_id FROM payment p JOIN LATERAL (
        SELECT operation_id FROM refund WHERE payment_id = p.id LIMIT 20) f ON true
      WHERE ${where} LIMIT ${candidateLimit})`,
  ];
  const { uuid, intentId, chargeId, refundId, email, references, key } = words;
  return [
    sql`(SELECT NULL::uuid AS id WHERE false)`,
    ...(uuid ? [sql`(SELECT id FROM idempotency_record WHERE id = ${uuid}::uuid)`] : []),
    ...(uuid ? payments(sql`id = ${uuid}::uuid`) : []),
    ...(intentId ? payments(sql`provider_intent_id = ${intentId}`) : []),
    ...(chargeId ? payments(sql`provider_charge_id = ${chargeId}`) : []),
    ...(refundId
      ? [sql`(SELECT operation_id FROM refund WHERE provider_refund_id = ${refundId} LIMIT 20)`]
      : []),
    ...(email
      ? tenantIds.map(
          (tenantId) => sql`(SELECT operation_id FROM payment
            WHERE tenant_id = ${tenantId} AND lower(receipt_email) = ${email} AND receipt_email IS NOT NULL
            ORDER BY created_at DESC LIMIT ${candidateLimit})`,
        )
      : []),
    ...(references ?? []).flatMap((reference) => byReference(reference, tenantIds)),
    ...(key ? byKey(key, tenantIds) : []),
  ];
}

/** From the beginning on: an order number is often only half remembered. */
function byReference(reference: string, tenantIds: readonly string[]): Sql[] {
  return tenantIds.flatMap((tenantId) => {
    const where = sql`tenant_id = ${tenantId} AND ${beginsWith(sql`reference`, reference)}`;
    return [
      sql`(SELECT operation_id AS id FROM payment WHERE ${where} ORDER BY tenant_id, reference LIMIT ${candidateLimit})`,
      sql`(SELECT f.operation_id FROM (
          SELECT id FROM payment WHERE ${where} ORDER BY tenant_id, reference LIMIT ${candidateLimit}) p
        JOIN LATERAL (SELECT operation_id FROM refund WHERE payment_id = p.id LIMIT 20) f ON true)`,
    ];
  });
}

function byKey(key: string, tenantIds: readonly string[]): Sql[] {
  return tenantIds.flatMap((tenantId) =>
    kinds.map(
      (kind) => sql`(SELECT id FROM idempotency_record
        WHERE tenant_id = ${tenantId} AND operation = ${kind} AND ${beginsWith(sql`key`, key)}
        ORDER BY tenant_id, operation, key LIMIT ${candidateLimit})`,
    ),
  );
}

function byMisuse(tenantIds: readonly string[]): Sql[] {
  return tenantIds.map(
    (tenantId) => sql`(SELECT record_id AS id FROM key_misuse WHERE tenant_id = ${tenantId}
      ORDER BY last_at DESC LIMIT ${candidateLimit})`,
  );
}

/** A range of the index, because the column is ordered by its bytes; nothing sorts after the last of all characters. */
function beginsWith(column: Sql, text: string): Sql {
  return sql`${column} >= ${text} AND ${column} < ${`${text}\u{10FFFF}`}`;
}
