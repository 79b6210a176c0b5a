// The domain writes of the three commits of a payment: claimed, confirm sent, completed. Each is part of the statement that
// changes the record, and is shared by callers that come at the same time.

import { type OperationRef, type RowStatement, rowWrite } from '#idempotency/index.ts';
import { isComparedSql } from '#payments/database-gap.ts';
import {
  foundChargeSql,
  hasEndedUnpaidSql,
  isHoldingChargeSql,
  type ReferenceHolder,
} from '#payments/exceptions/found-charge.ts';
import type { FinalResult, Payment } from '#payments/payment.ts';
import { paymentIdOf } from '#payments/payment-rows.ts';
import type { CreatePayment } from './command.ts';

interface OpenRow {
  readonly [column: string]: string | number | null;
  readonly payment_id: string;
  readonly reference: string;
  readonly amount_minor: number;
  readonly currency: string;
  readonly payment_method: string;
  readonly receipt_email: string | null;
}

/** Whether the claim inserted the payment. If not, the payment that holds its reference, as far as the statement saw it. */
export interface ClaimedReference {
  readonly opened: boolean;
  /** Of the database: see `isComparedSql`. If not, no payment is opened. */
  readonly compared: boolean;
  readonly holder: ReferenceHolder | undefined;
}

/**
 * In the order of the references, because two statements that wait for each other's would deadlock. A payment that was found to
 * be charged holds its reference too (exceptions/found-charge.ts). Few tenants have such payments, and no payment is read for the
 * others.
 */
const openPayments: RowStatement<OpenRow, ClaimedReference> = {
  name: 'open payment',
  columns: {
    payment_id: 'uuid',
    reference: 'text',
    amount_minor: 'bigint',
    currency: 'text',
    payment_method: 'text',
    receipt_email: 'text',
  },
  sql: `
    database AS MATERIALIZED (SELECT ${isComparedSql} AS compared),
    flagged AS MATERIALIZED (
      SELECT tenant_id, record_id, reference FROM rows WHERE EXISTS (
        SELECT FROM reconciliation_exception found WHERE found.tenant_id = rows.tenant_id AND ${isHoldingChargeSql})),
    charged AS MATERIALIZED (
      SELECT flagged.tenant_id, flagged.record_id, earlier.id, earlier.status
      FROM flagged CROSS JOIN LATERAL (
        SELECT payment.id, ${foundChargeSql} AS status FROM payment
        JOIN reconciliation_exception found ON found.tenant_id = payment.tenant_id AND found.payment_id = payment.id
        WHERE payment.tenant_id = flagged.tenant_id AND payment.reference = flagged.reference
          AND ${hasEndedUnpaidSql} AND payment.operation_id <> flagged.record_id AND ${isHoldingChargeSql}
        ORDER BY found.status = 'open' DESC LIMIT 1) earlier),
    opened AS (
      INSERT INTO payment (tenant_id, id, operation_id, reference, amount_minor, currency, payment_method,
        receipt_email, status)
      SELECT tenant_id, payment_id, record_id, reference, amount_minor, currency, payment_method, receipt_email, 'pending'
      FROM rows, database WHERE compared AND NOT EXISTS (
        SELECT FROM charged WHERE charged.tenant_id = rows.tenant_id AND charged.record_id = rows.record_id)
      ORDER BY tenant_id, reference, record_id
      ON CONFLICT DO NOTHING
      RETURNING tenant_id, operation_id),
    result AS (
      SELECT rows.tenant_id, rows.record_id, opened.operation_id IS NOT NULL AS opened, compared,
        coalesce(holder.id, charged.id) AS holder_id, coalesce(holder.status, charged.status) AS holder_status
      FROM rows CROSS JOIN database
      LEFT JOIN opened ON opened.tenant_id = rows.tenant_id AND opened.operation_id = rows.record_id
      LEFT JOIN payment holder ON opened.operation_id IS NULL AND holder.tenant_id = rows.tenant_id
        AND holder.reference = rows.reference AND holder.status IN ('pending', 'succeeded')
      LEFT JOIN charged ON charged.tenant_id = rows.tenant_id AND charged.record_id = rows.record_id)`,
  resultOf: (row: {
    readonly opened: boolean;
    readonly compared: boolean;
    readonly holder_id: string | null;
    readonly holder_status: ReferenceHolder['status'] | null;
  }) => ({
    opened: row.opened,
    compared: row.compared,
    holder: row.holder_id && row.holder_status ? { id: row.holder_id, status: row.holder_status } : undefined,
  }),
};

export function openPaymentRow(operation: OperationRef, command: CreatePayment) {
  return rowWrite(openPayments, {
    payment_id: paymentIdOf(operation),
    reference: command.reference,
    amount_minor: command.amountMinor,
    currency: command.currency,
    payment_method: command.paymentMethod,
    receipt_email: command.receiptEmail ?? null,
  });
}

/**
 * The id alone names the payment; with the operation, either unique index finds it by one lookup. By the id alone, a plan made
 * while the table is empty may look up nothing but the tenant, and read all its payments.
 */
const samePayment =
  'payment.tenant_id = rows.tenant_id AND payment.id = rows.payment_id AND payment.operation_id = rows.record_id';

const recordIntents: RowStatement<{ readonly payment_id: string; readonly intent_id: string }> = {
  name: 'record intent',
  columns: { payment_id: 'uuid', intent_id: 'text' },
  sql: `
    recorded AS (
      UPDATE payment SET provider_intent_id = rows.intent_id
      FROM rows WHERE ${samePayment})`,
};

export function intentRow(payment: Payment, intentId: string) {
  return rowWrite(recordIntents, { payment_id: payment.id, intent_id: intentId });
}

interface CompletionRow {
  readonly [column: string]: string | boolean | null;
  readonly payment_id: string;
  readonly status: string;
  readonly intent_id: string;
  readonly charge_id: string | null;
  readonly card_brand: string | null;
  readonly card_last4: string | null;
  readonly decline_code: string | null;
  readonly asserted: boolean;
}

/**
 * The payment, both sides of its booking, and the event that its consumers get. The event is of the row that was given: where its
 * payment is missing, because the database that had it was lost, the foreign key refuses the whole completion.
 */
const completePayments: RowStatement<CompletionRow> = {
  name: 'complete payment',
  columns: {
    payment_id: 'uuid',
    status: 'text',
    intent_id: 'text',
    charge_id: 'text',
    card_brand: 'text',
    card_last4: 'text',
    decline_code: 'text',
    asserted: 'boolean',
  },
  sql: `
    completed AS (
      UPDATE payment SET status = rows.status, provider_intent_id = rows.intent_id,
        provider_charge_id = rows.charge_id, card_brand = rows.card_brand, card_last4 = rows.card_last4,
        decline_code = rows.decline_code, next_action_url = NULL, completed_at = statement_timestamp(),
        asserted_at = CASE WHEN rows.asserted THEN statement_timestamp() END
      FROM rows WHERE ${samePayment}
      RETURNING payment.tenant_id, payment.id, payment.status, payment.amount_minor, payment.currency),
    booked AS (
      INSERT INTO ledger_entry (tenant_id, source_id, kind, account, payment_id, amount_minor, currency)
      SELECT tenant_id, id, 'payment', account, id, sign * amount_minor, currency
      FROM completed, (VALUES ('provider_receivable', 1), ('merchant_payable', -1)) AS side (account, sign)
      WHERE status = 'succeeded'),
    published AS (
      INSERT INTO outbox_event (tenant_id, payment_id, source_id, type)
      SELECT tenant_id, payment_id, payment_id, 'payment.' || status FROM rows)`,
};

/**
 * The final writes of a payment. Every source of evidence (owner, webhook, check, operator) goes through here, so the
 * follow-ups are the same and happen once.
 */
export function completionRow(
  payment: Payment,
  result: FinalResult,
  by: 'evidence' | 'assertion' = 'evidence',
) {
  const succeeded = result.kind === 'succeeded' ? result : undefined;
  return rowWrite(completePayments, {
    payment_id: payment.id,
    status: result.kind,
    intent_id: result.intentId,
    charge_id: succeeded?.chargeId ?? null,
    card_brand: succeeded?.card?.brand ?? null,
    card_last4: succeeded?.card?.last4 ?? null,
    decline_code: result.kind === 'declined' ? result.declineCode : null,
    asserted: by === 'assertion',
  });
}
