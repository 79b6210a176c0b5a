import { balanceTransactionId } from './balance-transaction.ts';
import { findCard } from './cards.ts';
import type { ChargeRow } from './charge.ts';

export const NO_BILLING_DETAILS = {
  address: { city: null, country: null, line1: null, line2: null, postal_code: null, state: null },
  email: null,
  name: null,
  phone: null,
  tax_id: null,
};

/** `booked: false` is the charge at the moment of its success, when its balance transaction does not exist yet. */
export function chargeObject(charge: ChargeRow, { booked = true } = {}) {
  const paid = charge.status === 'succeeded';
  return {
    id: charge.id,
    object: 'charge' as const,
    amount: charge.amount,
    amount_captured: paid ? charge.amount : 0,
    amount_refunded: charge.amount_refunded,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: paid && booked ? balanceTransactionId(charge.id) : null,
    billing_details: NO_BILLING_DETAILS,
    calculated_statement_descriptor: charge.statement_descriptor ?? 'SANDBOX',
    captured: paid,
    created: charge.created,
    currency: charge.currency,
    customer: null,
    description: charge.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: charge.failure?.code ?? null,
    failure_message: charge.failure?.message ?? null,
    fraud_details: {},
    livemode: false,
    metadata: charge.metadata,
    on_behalf_of: null,
    outcome: outcome(charge),
    paid,
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    payment_method_details: paymentMethodDetails(charge),
    receipt_email: charge.receipt_email,
    receipt_number: null,
    receipt_url: null,
    refunded: charge.amount_refunded === charge.amount,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: charge.statement_descriptor,
    statement_descriptor_suffix: charge.statement_descriptor_suffix,
    status: charge.status,
    transfer_data: null,
    transfer_group: null,
  };
}

function outcome({ status, failure }: ChargeRow) {
  if (status === 'pending') return null;
  const declined = failure !== null;
  return {
    advice_code: null,
    network_advice_code: null,
    network_decline_code: declined ? '05' : null,
    network_status: declined ? 'declined_by_network' : 'approved_by_network',
    reason: failure?.decline_code ?? null,
    risk_level: 'normal',
    risk_score: 1,
    seller_message: declined ? 'The bank did not return any further details.' : 'Payment complete.',
    type: declined ? 'issuer_declined' : 'authorized',
  };
}

function paymentMethodDetails(charge: ChargeRow) {
  const card = findCard(charge.payment_method);
  return {
    type: 'card' as const,
    card: {
      amount_authorized: charge.status === 'succeeded' ? charge.amount : null,
      authorization_code: null,
      brand: card?.brand ?? null,
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' as const },
      country: 'US',
      electronic_commerce_indicator: null,
      exp_month: 12,
      exp_year: 2034,
      funding: 'credit',
      installments: null,
      last4: card?.last4 ?? null,
      mandate: null,
      network: card?.brand ?? null,
      network_transaction_id: null,
      regulated_status: 'unregulated' as const,
      three_d_secure: charge.authenticated ? AUTHENTICATED : null,
      transaction_link_id: null,
      wallet: null,
    },
  };
}

const AUTHENTICATED = {
  authentication_flow: 'challenge' as const,
  electronic_commerce_indicator: '05' as const,
  exemption_indicator: null,
  result: 'authenticated' as const,
  result_reason: null,
  transaction_id: null,
  version: '2.2.0' as const,
};
