import type { OperationRef } from '#idempotency/index.ts';
import { operationRows } from '#payments/index.ts';
import { operationNames } from '#payments/operations/copy.ts';
import { Prisma } from '#prisma';
import { ago } from './operation-conditions.ts';
import type { OperationFilter } from './operation-filter.ts';
import { readSearch, type SearchTerms } from './search-terms.ts';

const { sql, join } = Prisma;
type Sql = Prisma.Sql;

/**
 * A part of the filter that has an index of its own and usually matches few operations: a reference, key or id, or an
 * event such as a misuse. When few operations match, they are sorted and paged. When many match, the page is scanned in
 * its order and each row is checked. Both ways give the same rows.
 */
export interface SelectiveFilter {
  /** Each branch selects tenant_id and id of operations of one shop, at most `limit` of them. */
  readonly branches: (limit: number) => readonly Sql[];
  /** The same condition on a row of `details`. */
  readonly condition: Sql;
}

type Branches = SelectiveFilter['branches'];

export function selectiveFiltersOf(
  filter: OperationFilter,
  tenantIds: readonly string[],
): readonly SelectiveFilter[] {
  const {
    search,
    reference,
    key,
    wholeKeys = false,
    misused,
    becameUnknownWithinMinutes,
    resolvedWithinMinutes,
  } = filter;
  return [
    ...(search === undefined ? [] : [bySearch(search, tenantIds, wholeKeys)]),
    ...(reference === undefined ? [] : [byReference(reference, tenantIds)]),
    ...(key === undefined ? [] : [byKey(key, tenantIds, wholeKeys)]),
    ...(misused === undefined ? [] : [byMisuse(misused, tenantIds)]),
    ...(becameUnknownWithinMinutes === undefined
      ? []
      : [since(sql`unknown_since`, sql`r.unknown_since`, becameUnknownWithinMinutes, tenantIds)]),
    ...(resolvedWithinMinutes === undefined
      ? []
      : [since(sql`resolved_at`, sql`r.resolved_at`, resolvedWithinMinutes, tenantIds)]),
  ];
}

/** Selects one more than `limit`, to show that there are more. An operation may occur twice. */
export function candidatesSql({ branches }: SelectiveFilter, limit: number): Sql {
  return sql`
    SELECT tenant_id, id FROM (${join(branches(limit + 1), ' UNION ALL ')}) AS found
    WHERE id IS NOT NULL LIMIT ${limit + 1}`;
}

/** The operations of the first filter that matches at most `limit`. Undefined when there is no such filter. */
export async function matchSelective(
  db: Pick<Prisma.TransactionClient, '$queryRaw'>,
  selectiveFilters: readonly SelectiveFilter[],
  limit: number,
): Promise<readonly OperationRef[] | undefined> {
  for (const selectiveFilter of selectiveFilters) {
    const rows = await db.$queryRaw<{ tenant_id: string; id: string }[]>(
      candidatesSql(selectiveFilter, limit),
    );
    if (rows.length > limit) continue;
    const refs = rows.map((row) => ({ tenantId: row.tenant_id, id: row.id }));
    return [...new Map(refs.map((ref) => [`${ref.id}:${ref.tenantId}`, ref])).values()];
  }
  return undefined;
}

/** Free text: each term is one index lookup in each shop. */
function bySearch(typed: string, tenantIds: readonly string[], wholeKeys: boolean): SelectiveFilter {
  const terms = readSearch(typed);
  return {
    branches: (limit) => [
      // Names the columns, and keeps the union valid when the text gives no term.
      sql`(SELECT NULL::text AS tenant_id, NULL::uuid AS id)`,
      ...tenantIds.flatMap((tenantId) => searchBranches(terms, tenantId, wholeKeys, limit)),
    ],
    condition: searchCondition(terms, wholeKeys),
  };
}

function searchBranches(
  terms: SearchTerms,
  tenantId: string,
  wholeKeys: boolean,
  limit: number,
): readonly Sql[] {
  const { uuid, intentId, chargeId, refundId, email, references = [], key } = terms;
  const payments = (condition: Sql) =>
    operationsOf(
      sql`SELECT tenant_id, id, operation_id FROM payment WHERE tenant_id = ${tenantId} AND ${condition} LIMIT ${limit}`,
      limit,
    );
  return [
    ...(uuid
      ? [sql`(SELECT tenant_id, id FROM operation WHERE tenant_id = ${tenantId} AND id = ${uuid}::uuid)`]
      : []),
    ...(uuid ? payments(sql`id = ${uuid}::uuid`) : []),
    ...(intentId ? payments(sql`provider_intent_id = ${intentId}`) : []),
    ...(chargeId ? payments(sql`provider_charge_id = ${chargeId}`) : []),
    ...(refundId ? byProviderId(refundId, tenantId, limit) : []),
    ...(email ? byEmail(email, tenantId, limit) : []),
    ...references.flatMap((reference) => byReference(reference, [tenantId]).branches(limit)),
    ...(key ? byKey(key, [tenantId], wholeKeys).branches(limit) : []),
  ];
}

function searchCondition(terms: SearchTerms, wholeKeys: boolean): Sql {
  const { uuid, intentId, chargeId, refundId, email, references = [], key } = terms;
  const any = [
    sql`false`,
    ...(uuid ? [sql`r.id = ${uuid}::uuid`, sql`m.payment_id = ${uuid}::uuid`] : []),
    ...(intentId ? [sql`m.provider_intent_id = ${intentId}`] : []),
    ...(chargeId ? [sql`m.provider_charge_id = ${chargeId}`] : []),
    ...(refundId ? [sql`m.provider_id = ${refundId}`] : []),
    ...(email ? [sql`lower(m.receipt_email) = ${email}`] : []),
    ...references.map((reference) => sql`(${beginsWith(sql`m.reference`, reference)})`),
    ...(key ? [sql`(${isKey(sql`r.key`, key, wholeKeys)})`] : []),
  ];
  return sql`(${join(any, ' OR ')})`;
}

function byEmail(email: string, tenantId: string, limit: number): readonly Sql[] {
  return operationsOf(
    sql`SELECT tenant_id, id, operation_id FROM payment
      WHERE tenant_id = ${tenantId} AND lower(receipt_email) = ${email} AND receipt_email IS NOT NULL
      ORDER BY created_at DESC LIMIT ${limit}`,
    limit,
  );
}

/** By prefix: shoppers often know only the beginning of an order number. */
function byReference(reference: string, tenantIds: readonly string[]): SelectiveFilter {
  return {
    branches: perTenant(tenantIds, (tenantId, limit) =>
      operationsOf(
        sql`SELECT tenant_id, id, operation_id FROM payment
          WHERE tenant_id = ${tenantId} AND ${beginsWith(sql`reference`, reference)}
          ORDER BY tenant_id, reference LIMIT ${limit}`,
        limit,
      ),
    ),
    condition: sql`(${beginsWith(sql`m.reference`, reference)})`,
  };
}

function byKey(key: string, tenantIds: readonly string[], whole: boolean): SelectiveFilter {
  return {
    branches: perTenant(tenantIds, (tenantId, limit) =>
      operationNames.map(
        (kind) => sql`(SELECT tenant_id, id FROM operation
          WHERE tenant_id = ${tenantId} AND operation = ${kind} AND ${isKey(sql`key`, key, whole)}
          ORDER BY tenant_id, operation, key LIMIT ${limit})`,
      ),
    ),
    condition: sql`(${isKey(sql`r.key`, key, whole)})`,
  };
}

function isKey(column: Sql, typed: string, whole: boolean): Sql {
  return whole ? sql`${column} = ${typed}` : beginsWith(column, typed);
}

function byMisuse(misused: 'ever' | number, tenantIds: readonly string[]): SelectiveFilter {
  const within = (at: Sql) => (misused === 'ever' ? sql`${at} IS NOT NULL` : sql`${at} > ${ago(misused)}`);
  return {
    branches: perTenant(tenantIds, (tenantId, limit) => [
      sql`(SELECT tenant_id, record_id AS id FROM key_misuse
        WHERE tenant_id = ${tenantId} AND ${within(sql`last_at`)} ORDER BY last_at DESC LIMIT ${limit})`,
    ]),
    condition: within(sql`misuse.last_at`),
  };
}

/** An event that few operations have had, by the partial index over those operations. */
function since(column: Sql, rowColumn: Sql, minutes: number, tenantIds: readonly string[]): SelectiveFilter {
  return {
    branches: perTenant(tenantIds, (tenantId, limit) => [
      sql`(SELECT tenant_id, id FROM operation
        WHERE tenant_id = ${tenantId} AND ${column} > ${ago(minutes)} ORDER BY ${column} DESC LIMIT ${limit})`,
    ]),
    condition: sql`${rowColumn} > ${ago(minutes)}`,
  };
}

function perTenant(
  tenantIds: readonly string[],
  branchesOf: (tenantId: string, limit: number) => readonly Sql[],
): Branches {
  return (limit) => tenantIds.flatMap((tenantId) => branchesOf(tenantId, limit));
}

/** The operations of these payments, of every kind: a search for a payment also finds its refunds. */
function operationsOf(payments: Sql, limit: number): readonly Sql[] {
  return operationRows.map((rows) => sql`(${rows.ofPayments(payments, limit)})`);
}

function byProviderId(providerId: string, tenantId: string, limit: number): readonly Sql[] {
  return operationRows.flatMap(({ byProviderId: find }) =>
    find ? [sql`(${find(tenantId, providerId, limit)})`] : [],
  );
}

/** A range of the index, because the column is sorted by bytes; U+10FFFF sorts after every other character. */
export function beginsWith(column: Sql, text: string): Sql {
  return sql`${column} >= ${text} AND ${column} < ${`${text}\u{10FFFF}`}`;
}
