import { balanceTransactionId, failureTransactionId } from './balance-transaction.ts';

export interface RefundRow {
  id: string;
  /** Assigned by the database. */
  sequence?: number;
  version: number;
  charge: string;
  payment_intent: string;
  amount: number;
  currency: string;
  reason: 'duplicate' | 'fraudulent' | 'requested_by_customer' | null;
  metadata: Record<string, string>;
  status: 'succeeded' | 'failed';
  failure_reason: string | null;
  created: number;
}

/** `referenced: false` is the refund at the moment of its creation, when the bank has not given its reference yet. */
export function refundObject(refund: RefundRow, { referenced = true } = {}) {
  return {
    id: refund.id,
    object: 'refund' as const,
    amount: refund.amount,
    balance_transaction: balanceTransactionId(refund.id),
    charge: refund.charge,
    created: refund.created,
    currency: refund.currency,
    customer: null,
    customer_account: null,
    destination_details: {
      card: {
        ...(referenced ? { reference: acquirerReference(refund) } : {}),
        reference_status: referenced ? 'available' : 'pending',
        reference_type: 'acquirer_reference_number',
        type: 'refund' as const,
      },
      type: 'card',
    },
    ...(refund.failure_reason === null
      ? {}
      : {
          failure_balance_transaction: failureTransactionId(refund.id),
          failure_reason: refund.failure_reason,
        }),
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

/** Digits that follow from the refund, so that they are the same whenever it is read. */
function acquirerReference({ id, created }: RefundRow): string {
  const digits = [...id].map((letter) => letter.charCodeAt(0) % 10).join('');
  return `${created}${digits}`.slice(0, 23);
}
