import { Prisma } from '#prisma';
import { ago } from './operation-conditions.ts';
import { kinds, type OperationFilter } from './operation-filter.ts';
import { readSearch, type SearchWords } from './search-terms.ts';

const { sql, join } = Prisma;
type Sql = Prisma.Sql;

/**
 * A part of the filter that has an index of its own, and usually few operations in it: a name, or something that
 * happened to them. When there are few, they are the page, put into order; when there are many, the page walks its
 * order and asks of each row whether it fits. Either way it is the same rows.
 */
export interface Narrowing {
  /** The ids of its operations, `most` of them at most from each branch. Whose they are is checked on the rows. */
  readonly branches: (most: number) => readonly Sql[];
  /** The same, of a row that is before us (see `details`). */
  readonly fits: Sql;
}

export function narrowingsOf(filter: OperationFilter, tenantIds: readonly string[]): readonly Narrowing[] {
  const { search, reference, key, misused, doubtedWithinMinutes, knownWithinMinutes } = filter;
  return [
    ...(search === undefined ? [] : [bySearch(search, tenantIds)]),
    ...(reference === undefined ? [] : [byReference(reference, tenantIds)]),
    ...(key === undefined ? [] : [byKey(key, tenantIds)]),
    ...(misused === undefined ? [] : [byMisuse(misused, tenantIds)]),
    ...(doubtedWithinMinutes === undefined
      ? []
      : [since(sql`doubted_at`, sql`r.doubted_at`, doubtedWithinMinutes, tenantIds)]),
    ...(knownWithinMinutes === undefined
      ? []
      : [since(sql`known_at`, sql`r.known_at`, knownWithinMinutes, tenantIds)]),
  ];
}

/** One more than `most` says that there are more; an operation may come twice. */
export function candidatesSql({ branches }: Narrowing, most: number): Sql {
  return sql`
    SELECT id FROM (${join(branches(most + 1), ' UNION ALL ')}) AS found WHERE id IS NOT NULL LIMIT ${most + 1}`;
}

/** All operations of the first narrowing that has at most so many. Undefined: there is none, or all have more. */
export async function narrow(
  db: Pick<Prisma.TransactionClient, '$queryRaw'>,
  narrowings: readonly Narrowing[],
  most: number,
): Promise<readonly string[] | undefined> {
  for (const narrowing of narrowings) {
    const rows = await db.$queryRaw<{ id: string }[]>(candidatesSql(narrowing, most));
    if (rows.length <= most) return [...new Set(rows.map(({ id }) => id))];
  }
  return undefined;
}

/** Whatever somebody typed: each thing it may be the name of is one look into an index. */
function bySearch(typed: string, tenantIds: readonly string[]): Narrowing {
  const words = readSearch(typed);
  const { uuid, intentId, chargeId, refundId, email, references = [], key } = words;
  const payments = (where: Sql) => (most: number) =>
    withRefunds(sql`SELECT id, operation_id FROM payment WHERE ${where} LIMIT ${most}`, most);
  const looks: ((most: number) => readonly Sql[])[] = [
    // It names the column, and there is something to look into when nothing can be meant.
    () => [sql`(SELECT NULL::uuid AS id)`],
    ...(uuid ? [() => [sql`(SELECT id FROM idempotency_record WHERE id = ${uuid}::uuid)`]] : []),
    ...(uuid ? [payments(sql`id = ${uuid}::uuid`)] : []),
    ...(intentId ? [payments(sql`provider_intent_id = ${intentId}`)] : []),
    ...(chargeId ? [payments(sql`provider_charge_id = ${chargeId}`)] : []),
    ...(refundId
      ? [() => [sql`(SELECT operation_id FROM refund WHERE provider_refund_id = ${refundId})`]]
      : []),
    ...(email ? [byEmail(email, tenantIds)] : []),
    ...references.map((reference) => byReference(reference, tenantIds).branches),
    ...(key ? [byKey(key, tenantIds).branches] : []),
  ];
  return { branches: (most) => looks.flatMap((look) => look(most)), fits: searchFits(words) };
}

function searchFits({ uuid, intentId, chargeId, refundId, email, references = [], key }: SearchWords): Sql {
  const any = [
    sql`false`,
    ...(uuid ? [sql`r.id = ${uuid}::uuid`, sql`m.payment_id = ${uuid}::uuid`] : []),
    ...(intentId ? [sql`m.provider_intent_id = ${intentId}`] : []),
    ...(chargeId ? [sql`m.provider_charge_id = ${chargeId}`] : []),
    ...(refundId ? [sql`m.provider_refund_id = ${refundId}`] : []),
    ...(email ? [sql`lower(m.receipt_email) = ${email}`] : []),
    ...references.map((reference) => sql`(${beginsWith(sql`m.reference`, reference)})`),
    ...(key ? [sql`(${beginsWith(sql`r.key`, key)})`] : []),
  ];
  return sql`(${join(any, ' OR ')})`;
}

function byEmail(email: string, tenantIds: readonly string[]) {
  return (most: number) =>
    tenantIds.flatMap((tenantId) =>
      withRefunds(
        sql`SELECT id, operation_id FROM payment
          WHERE tenant_id = ${tenantId} AND lower(receipt_email) = ${email} AND receipt_email IS NOT NULL
          ORDER BY created_at DESC LIMIT ${most}`,
        most,
      ),
    );
}

/** From the beginning on: an order number is often only half remembered. */
function byReference(reference: string, tenantIds: readonly string[]): Narrowing {
  return {
    branches: (most) =>
      tenantIds.flatMap((tenantId) =>
        withRefunds(
          sql`SELECT id, operation_id FROM payment
            WHERE tenant_id = ${tenantId} AND ${beginsWith(sql`reference`, reference)}
            ORDER BY tenant_id, reference LIMIT ${most}`,
          most,
        ),
      ),
    fits: sql`(${beginsWith(sql`m.reference`, reference)})`,
  };
}

function byKey(key: string, tenantIds: readonly string[]): Narrowing {
  return {
    branches: (most) =>
      tenantIds.flatMap((tenantId) =>
        kinds.map(
          (kind) => sql`(SELECT id FROM idempotency_record
            WHERE tenant_id = ${tenantId} AND operation = ${kind} AND ${beginsWith(sql`key`, key)}
            ORDER BY tenant_id, operation, key LIMIT ${most})`,
        ),
      ),
    fits: sql`(${beginsWith(sql`r.key`, key)})`,
  };
}

function byMisuse(misused: 'ever' | number, tenantIds: readonly string[]): Narrowing {
  const within = (at: Sql) => (misused === 'ever' ? sql`${at} IS NOT NULL` : sql`${at} > ${ago(misused)}`);
  return {
    branches: (most) =>
      tenantIds.map(
        (tenantId) => sql`(SELECT record_id AS id FROM key_misuse
          WHERE tenant_id = ${tenantId} AND ${within(sql`last_at`)} ORDER BY last_at DESC LIMIT ${most})`,
      ),
    fits: within(sql`misuse.last_at`),
  };
}

/** Something that happened to few operations, by the partial index of those to which it did. */
function since(column: Sql, of: Sql, minutes: number, tenantIds: readonly string[]): Narrowing {
  return {
    branches: (most) =>
      tenantIds.map(
        (tenantId) => sql`(SELECT id FROM idempotency_record
          WHERE tenant_id = ${tenantId} AND ${column} > ${ago(minutes)} ORDER BY ${column} DESC LIMIT ${most})`,
      ),
    fits: sql`${of} > ${ago(minutes)}`,
  };
}

/** Payments, and the refunds of each: whoever looks for the one wants to see the other. */
function withRefunds(payments: Sql, most: number): readonly Sql[] {
  return [
    sql`(SELECT operation_id AS id FROM (${payments}) AS p)`,
    sql`(SELECT f.operation_id FROM (${payments}) AS p
      JOIN LATERAL (SELECT operation_id FROM refund WHERE payment_id = p.id LIMIT ${most}) AS f ON true LIMIT ${most})`,
  ];
}

/** A range of the index, because the column is ordered by its bytes; nothing sorts after the last of all characters. */
function beginsWith(column: Sql, text: string): Sql {
  return sql`${column} >= ${text} AND ${column} < ${`${text}\u{10FFFF}`}`;
}
