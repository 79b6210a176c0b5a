import { recordEvent } from '../events/record-event.ts';
import { type ApiError, invalidRequest, noSuch } from '../http/api-error.ts';
import { seconds, type Work } from '../http/response.ts';
import { onlyRow } from '../store/database.ts';
import { newId } from '../store/ids.ts';
import type { ChargeRow } from './charge.ts';
import { chargeObject } from './charge-object.ts';
import { displayMoney } from './currency.ts';
import { findIntent } from './intent.ts';

export interface RefundRow {
  id: string;
  sequence: number;
  charge: string;
  payment_intent: string;
  amount: number;
  currency: string;
  reason: string | null;
  metadata: Record<string, string>;
  status: 'succeeded' | 'failed';
  created: number;
}

export interface RefundParams {
  charge?: string | undefined;
  payment_intent?: string | undefined;
  amount?: number | undefined;
  reason?: string | undefined;
  metadata?: Record<string, string> | undefined;
}

/** Never refunds more than is left: concurrent refunds of a charge wait for its row lock. */
export async function refundCharge(work: Work, params: RefundParams): Promise<RefundRow> {
  const charge = await lockCharge(work, params);
  const left = charge.amount - charge.amount_refunded;
  if (left === 0) {
    throw invalidRequest(`Charge ${charge.id} has already been refunded.`, {
      code: 'charge_already_refunded',
    });
  }
  const amount = params.amount ?? left;
  if (amount > left) {
    throw invalidRequest(
      `Refund amount (${displayMoney(amount, charge.currency)}) is greater than unrefunded amount on charge (${displayMoney(left, charge.currency)})`,
      { param: 'amount' },
    );
  }
  const refund = await insertRefund(work, charge, amount, params);
  const refunded = await addAmountRefunded(work, charge.id, amount);
  const intent = await findIntent(work, charge.payment_intent);
  await recordEvent(work, 'refund.created', refundObject(refund), intent);
  await recordEvent(work, 'charge.refunded', chargeObject(refunded), intent);
  return refund;
}

/**
 * The bank returns the money days after the refund succeeded, and the amount can be refunded again. The response that is
 * stored under the refund's key stays as it was. Null: no refund of this id has succeeded.
 */
export async function failRefund(work: Work, id: string): Promise<RefundRow | null> {
  const { rows } = await work.tx.query<RefundRow>(
    "UPDATE refunds SET status = 'failed' WHERE id = $1 AND status = 'succeeded' RETURNING *",
    [id],
  );
  const [refund] = rows;
  if (!refund) return null;
  await addAmountRefunded(work, refund.charge, -refund.amount);
  const intent = await findIntent(work, refund.payment_intent);
  await recordEvent(work, 'refund.failed', refundObject(refund), intent);
  return refund;
}

async function lockCharge(work: Work, params: RefundParams): Promise<ChargeRow> {
  const given = params.charge ?? params.payment_intent;
  if (given === undefined || (params.charge !== undefined && params.payment_intent !== undefined)) {
    throw invalidRequest(
      'One of the following params should be provided for this request: payment_intent or charge.',
    );
  }
  const { rows } = await work.tx.query<ChargeRow>(
    `SELECT * FROM charges WHERE ${params.charge ? 'id' : 'payment_intent'} = $1
     ORDER BY (status = 'succeeded') DESC, sequence DESC LIMIT 1 FOR UPDATE`,
    [given],
  );
  const charge = rows[0];
  if (charge?.status === 'succeeded') return charge;
  if (params.charge !== undefined)
    throw charge ? notRefundable(charge.id) : noSuch('charge', given, 'charge');
  const intent = await findIntent(work, given);
  throw invalidRequest(`This PaymentIntent (${intent.id}) does not have a successful charge to refund.`, {
    param: 'payment_intent',
  });
}

function notRefundable(id: string): ApiError {
  return invalidRequest(`Charge ${id} was not successful, so it cannot be refunded.`, { param: 'charge' });
}

async function insertRefund(
  work: Work,
  charge: ChargeRow,
  amount: number,
  params: RefundParams,
): Promise<RefundRow> {
  const { rows } = await work.tx.query<RefundRow>(
    `INSERT INTO refunds (id, charge, payment_intent, amount, currency, reason, metadata, created)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING *`,
    [
      newId('re'),
      charge.id,
      charge.payment_intent,
      amount,
      charge.currency,
      params.reason ?? null,
      JSON.stringify(params.metadata ?? {}),
      seconds(work),
    ],
  );
  return onlyRow(rows);
}

async function addAmountRefunded(work: Work, id: string, amount: number): Promise<ChargeRow> {
  const { rows } = await work.tx.query<ChargeRow>(
    'UPDATE charges SET amount_refunded = amount_refunded + $2 WHERE id = $1 RETURNING *',
    [id, amount],
  );
  return onlyRow(rows);
}

export function refundObject(refund: RefundRow) {
  return {
    id: refund.id,
    object: 'refund' as const,
    amount: refund.amount,
    balance_transaction: null,
    charge: refund.charge,
    created: refund.created,
    currency: refund.currency,
    customer: null,
    customer_account: null,
    metadata: refund.metadata,
    payment_intent: refund.payment_intent,
    payment_method: null,
    reason: refund.reason,
    receipt_number: null,
    source_transfer_reversal: null,
    status: refund.status,
    transfer_reversal: null,
  };
}
