import { moneyOfOperation } from '#payments/index.ts';
import { Prisma } from '#prisma';
import type { FilterStatus } from './operation-filter.ts';
import { cursorValue, type SortBy } from './operation-order.ts';

const { sql } = Prisma;
type Sql = Prisma.Sql;

/**
 * Joins to a row with an operation's id what belongs to that operation, each by its own index: the record as `r`, its
 * money as `m`, and the misuses of its key as `misuse`. The limit keeps the planner from reading whole tables.
 */
export function details(tenantId: Sql, id: Sql): Sql {
  return sql`
    CROSS JOIN LATERAL (SELECT * FROM operation WHERE tenant_id = ${tenantId} AND id = ${id} LIMIT 1) AS r
    LEFT JOIN LATERAL (${moneyOfOperation(tenantId, id)}) AS m ON true
    LEFT JOIN LATERAL (
      SELECT sum(times)::int AS count, max(last_at) AS last_at FROM key_misuse
      WHERE tenant_id = ${tenantId} AND record_id = ${id}) AS misuse ON true`;
}

export function columns(value: Sql, by: SortBy): Sql {
  return sql`r.id, r.tenant_id, r.operation, r.key, r.status, r.attempt, r.recovery_point, r.last_error_code,
    r.escalated_at, r.check_count, r.next_check_at, r.created_at, r.updated_at,
    m.payment_id, m.reference, m.amount_minor, m.currency, m.status AS money_status, m.decline_code,
    m.provider_intent_id, coalesce(misuse.count, 0) AS misuses, ${cursorValue(value, by)} AS cursor_value`;
}

/** For statements without a scan limit. */
export const nothingScanned = sql`0 AS scanned, NULL::bigint AS edge_value, NULL::uuid AS edge_id`;

/** A row of `pageSql`. Without an id nothing was found, and the row only says how far the scan went. */
export interface PageRow {
  readonly id: string | null;
  readonly tenant_id: string;
  readonly operation: string;
  readonly key: string;
  readonly status: FilterStatus;
  readonly attempt: number;
  readonly recovery_point: string;
  readonly last_error_code: string | null;
  readonly escalated_at: Date | null;
  readonly check_count: number;
  readonly next_check_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly payment_id: string | null;
  readonly reference: string | null;
  readonly amount_minor: bigint | null;
  readonly currency: string | null;
  readonly money_status: string | null;
  readonly decline_code: string | null;
  readonly provider_intent_id: string | null;
  readonly misuses: number;
  readonly cursor_value: bigint;
  readonly scanned: number;
  readonly edge_value: bigint | null;
  readonly edge_id: string | null;
}
