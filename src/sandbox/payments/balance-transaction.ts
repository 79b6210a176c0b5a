import { noSuch } from '../http/api-error.ts';
import type { Work } from '../http/response.ts';
import { readRows } from '../store/read-rows.ts';
import type { ChargeRow } from './charge.ts';
import type { RefundRow } from './refund-object.ts';

/*
 * The sandbox takes no fees, so a balance transaction says nothing that its source does not. It is not stored: its id is
 * that of the charge or refund with another prefix, and with a suffix for the return of a refund that failed.
 */

const RETURNED = 'r';

export function balanceTransactionId(source: string): string {
  return source.replace(/^[a-z]+_/, 'txn_');
}

export function failureTransactionId(refund: string): string {
  return `${balanceTransactionId(refund)}${RETURNED}`;
}

export async function findBalanceTransactions(work: Work, ids: string[]): Promise<Map<string, object>> {
  const named = ids.map((id) => id.replace(/^txn_/, ''));
  const charges = await readRows(
    work,
    'charges',
    named.map((name) => `ch_${name}`),
  );
  const refunds = await readRows(
    work,
    'refunds',
    named.map((name) => `re_${name.length > 24 ? name.slice(0, 24) : name}`),
  );
  const found = [
    ...[...charges.values()].filter(({ status }) => status === 'succeeded').map(ofCharge),
    ...[...refunds.values()].map((refund) => ofRefund(refund)),
    ...[...refunds.values()]
      .filter(({ status }) => status === 'failed')
      .map((refund) => ofRefund(refund, -1)),
  ];
  return new Map(found.map((transaction) => [transaction.id, transaction]));
}

export async function findBalanceTransaction(work: Work, id: string): Promise<object> {
  const found = (await findBalanceTransactions(work, [id])).get(id);
  if (!found) throw noSuch('balance transaction', id, 'id');
  return found;
}

function ofCharge(charge: ChargeRow) {
  return transaction(balanceTransactionId(charge.id), charge, charge.amount, 'charge');
}

/** Negative, because money leaves the balance; the return of a refund that failed is positive. */
function ofRefund(refund: RefundRow, sign: 1 | -1 = 1) {
  return sign === 1
    ? transaction(balanceTransactionId(refund.id), refund, -refund.amount, 'refund')
    : transaction(failureTransactionId(refund.id), refund, refund.amount, 'refund_failure');
}

export function transaction(
  id: string,
  source: Pick<ChargeRow, 'id' | 'currency' | 'created'>,
  amount: number,
  type: 'charge' | 'refund' | 'refund_failure',
) {
  return {
    id,
    object: 'balance_transaction' as const,
    amount,
    available_on: source.created,
    balance_type: 'payments' as const,
    created: source.created,
    currency: source.currency,
    description: null,
    exchange_rate: null,
    fee: 0,
    fee_details: [],
    net: amount,
    reporting_category: type,
    source: source.id,
    status: 'available',
    type,
  };
}
