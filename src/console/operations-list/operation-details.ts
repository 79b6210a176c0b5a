import { Prisma } from '#prisma';
import type { FilterStatus } from './operation-filter.ts';
import { type By, micros } from './operation-order.ts';

const { sql } = Prisma;
type Sql = Prisma.Sql;

/**
 * What belongs to a row, each by its own index: the record as `r`, its payment or refund as `m`, how often its key was
 * misused as `misuse`. The limits keep the planner from reading whole tables instead.
 */
export function details(id: Sql): Sql {
  return sql`
    CROSS JOIN LATERAL (SELECT * FROM idempotency_record WHERE id = ${id} LIMIT 1) AS r
    LEFT JOIN LATERAL (
      SELECT id AS payment_id, reference, amount_minor, currency, status, decline_code, provider_intent_id,
          provider_charge_id, receipt_email, NULL AS provider_refund_id
        FROM payment WHERE operation_id = ${id}
      UNION ALL
      SELECT p.id, p.reference, f.amount_minor, p.currency, f.status, NULL, p.provider_intent_id,
          p.provider_charge_id, p.receipt_email, f.provider_refund_id
        FROM refund f JOIN payment p ON p.id = f.payment_id WHERE f.operation_id = ${id}
      LIMIT 1) AS m ON true
    LEFT JOIN LATERAL (
      SELECT sum(times)::int AS count, max(last_at) AS last_at FROM key_misuse WHERE record_id = ${id}) AS misuse ON true`;
}

export function columns(value: Sql, by: By): Sql {
  return sql`r.id, r.tenant_id, r.operation, r.key, r.status, r.attempt, r.recovery_point, r.last_error_code,
    r.escalated_at, r.reconcile_attempts, r.reconcile_after, r.created_at, r.updated_at,
    m.payment_id, m.reference, m.amount_minor, m.currency, m.status AS money_status, m.decline_code,
    m.provider_intent_id, coalesce(misuse.count, 0) AS misuses, ${micros(value, by)} AS cursor_value`;
}

/** For statements that did not look beyond what they give. */
export const nothingLooked = sql`0 AS looked, NULL::bigint AS edge_value, NULL::uuid AS edge_id`;

/** What a statement of `pageSql` gives. Without an id: nothing was found, and this is how far it looked. */
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
  readonly reconcile_attempts: number;
  readonly reconcile_after: Date | null;
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
  readonly looked: number;
  readonly edge_value: bigint | null;
  readonly edge_id: string | null;
}
