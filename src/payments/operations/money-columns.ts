import { Prisma } from '#prisma';

const { sql } = Prisma;
type Sql = Prisma.Sql;

/**
 * What lists, totals and searches read of an operation: its own amount and state, and the payment that it is about. Every
 * kind selects the same columns, so that they can be united; the payment is `p`.
 */
export function moneyColumns(own: {
  readonly id: Sql;
  readonly amountMinor: Sql;
  readonly status: Sql;
  readonly declineCode: Sql;
  /** What the provider calls it. */
  readonly providerId: Sql;
}): Sql {
  return sql`p.id AS payment_id, p.reference, p.currency, p.provider_intent_id, p.provider_charge_id, p.receipt_email,
    ${own.id} AS own_id, ${own.amountMinor} AS amount_minor, ${own.status} AS status,
    ${own.declineCode} AS decline_code, ${own.providerId} AS provider_id`;
}
