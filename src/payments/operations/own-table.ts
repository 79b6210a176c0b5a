import { Prisma } from '#prisma';
import type { OperationName } from './copy.ts';
import { moneyColumns } from './money-columns.ts';
import type { OperationRows } from './operation-kind.ts';

const { sql } = Prisma;
type Sql = Prisma.Sql;

/**
 * The rows of an operation with a table of its own, each of which belongs to a payment: tenant_id, id, payment_id,
 * operation_id, amount_minor and status. The limits keep the planner from reading whole tables.
 */
export function rowsOfOwnTable<Name extends OperationName>(own: {
  readonly table: Sql;
  /** The column of what the provider calls it, with an index. Null: the provider knows it by the payment's intent. */
  readonly providerId: Sql | null;
  readonly knows: OperationRows<Name>['knows'];
  readonly statesOf: OperationRows<Name>['byAmount']['statesOf'];
}): OperationRows<Name> {
  const { table, providerId, knows, statesOf } = own;
  const columns = moneyColumns({
    id: sql`own.id`,
    amountMinor: sql`own.amount_minor`,
    status: sql`own.status`,
    declineCode: sql`NULL`,
    providerId: providerId ? sql`own.${providerId}` : sql`p.provider_intent_id`,
  });
  return {
    money: (tenantId, operationId) => sql`
      SELECT ${columns} FROM ${table} own JOIN payment p ON p.tenant_id = own.tenant_id AND p.id = own.payment_id
      WHERE own.tenant_id = ${tenantId} AND own.operation_id = ${operationId}`,
    ofPayments: (payments, limit) => sql`
      SELECT p.tenant_id, own.operation_id AS id FROM (${payments}) AS p
      JOIN LATERAL (
        SELECT operation_id FROM ${table} WHERE tenant_id = p.tenant_id AND payment_id = p.id LIMIT ${limit}) AS own ON true
      LIMIT ${limit}`,
    byProviderId: providerId
      ? (tenantId, id, limit) => sql`
        SELECT tenant_id, operation_id AS id FROM ${table}
        WHERE tenant_id = ${tenantId} AND ${providerId} = ${id} LIMIT ${limit}`
      : null,
    knows,
    // In the currency of its payment, which is checked row by row: most shops have one.
    byAmount: { table, hasCurrency: false, statesOf },
  };
}
