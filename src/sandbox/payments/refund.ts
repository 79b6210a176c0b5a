import { recordEvent } from '../events/record-event.ts';
import { type ApiError, invalidRequest, noSuch } from '../http/api-error.ts';
import { seconds, type Work } from '../http/response.ts';
import { newId } from '../store/ids.ts';
import { readRows } from '../store/read-rows.ts';
import { type ChargeRow, findCharge, updateCharge } from './charge.ts';
import { chargeObject } from './charge-object.ts';
import { displayMoney } from './currency.ts';
import { findIntent } from './intent.ts';
import { type RefundRow, refundObject } from './refund-object.ts';

export interface RefundParams {
  charge?: string | undefined;
  payment_intent?: string | undefined;
  amount?: number | undefined;
  reason?: RefundRow['reason'] | undefined;
  metadata?: Record<string, string> | undefined;
}

/** Never refunds more than is left: of two concurrent refunds of a charge, the second reads what the first wrote. */
export async function refundCharge(work: Work, params: RefundParams): Promise<RefundRow> {
  const charge = await chargeToRefund(work, params);
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
  const refund = insertRefund(work, charge, amount, params);
  const refunded = updateCharge(work, charge, { amount_refunded: charge.amount_refunded + amount });
  recordEvent(work, 'refund.created', refundObject(refund, { referenced: false }), eventSubject(charge));
  recordEvent(work, 'charge.refunded', chargeObject(refunded), eventSubject(charge), {
    amount_refunded: charge.amount_refunded,
    refunded: false,
  });
  // The bank's reference arrives after the refund; Stripe then sends the refund again.
  recordUpdate(work, refund, charge, {
    destination_details: refundObject(refund, { referenced: false }).destination_details,
  });
  return refund;
}

/**
 * The bank returns the money days after the refund succeeded, and the amount can be refunded again. The response that is
 * stored under the refund's key stays as it was. Null: no refund of this id has succeeded.
 */
export async function failRefund(work: Work, id: string, reason: string): Promise<RefundRow | null> {
  const refund = (await readRows(work, 'refunds', [id])).get(id);
  if (refund?.status !== 'succeeded') return null;
  const failed: RefundRow = { ...refund, status: 'failed', failure_reason: reason };
  work.changes.refunds.set(id, failed);
  const charge = await findCharge(work, refund.charge);
  updateCharge(work, charge, { amount_refunded: charge.amount_refunded - refund.amount });
  recordUpdate(work, failed, charge, {
    failure_balance_transaction: null,
    failure_reason: null,
    status: 'succeeded',
  });
  recordEvent(work, 'refund.failed', refundObject(failed), eventSubject(charge));
  return failed;
}

function recordUpdate(work: Work, refund: RefundRow, charge: ChargeRow, previous: object): void {
  recordEvent(work, 'refund.updated', refundObject(refund), eventSubject(charge), previous);
  recordEvent(work, 'charge.refund.updated', refundObject(refund), eventSubject(charge), previous);
}

function eventSubject({ payment_intent, payment_method }: ChargeRow) {
  return { id: payment_intent, payment_method };
}

async function chargeToRefund(work: Work, params: RefundParams): Promise<ChargeRow> {
  const given = params.charge ?? params.payment_intent;
  if (given === undefined || (params.charge !== undefined && params.payment_intent !== undefined)) {
    throw invalidRequest(
      'One of the following params should be provided for this request: payment_intent or charge.',
    );
  }
  const { rows } = await work.db.query<ChargeRow>(
    `SELECT * FROM charges WHERE ${params.charge ? 'id' : 'payment_intent'} = $1
     ORDER BY (status = 'succeeded') DESC, sequence DESC LIMIT 1`,
    [given],
  );
  const charge = rows[0];
  if (charge?.status === 'succeeded') return charge;
  if (params.charge !== undefined)
    throw charge ? notRefundable(charge.id) : noSuch('charge', given, 'charge');
  const intent = await findIntent(work, given, 'payment_intent');
  throw invalidRequest(`This PaymentIntent (${intent.id}) does not have a successful charge to refund.`, {
    param: 'payment_intent',
  });
}

function notRefundable(id: string): ApiError {
  return invalidRequest(`Charge ${id} was not successful, so it cannot be refunded.`, { param: 'charge' });
}

function insertRefund(work: Work, charge: ChargeRow, amount: number, params: RefundParams): RefundRow {
  const refund: RefundRow = {
    id: newId('re'),
    version: 0,
    charge: charge.id,
    payment_intent: charge.payment_intent,
    amount,
    currency: charge.currency,
    reason: params.reason ?? null,
    metadata: params.metadata ?? {},
    status: 'succeeded',
    failure_reason: null,
    created: seconds(work),
  };
  work.changes.refunds.set(refund.id, refund);
  return refund;
}
