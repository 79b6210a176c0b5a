import type { Card } from './cards.ts';
import { NO_BILLING_DETAILS } from './charge-object.ts';

/** The PaymentMethod as it appears in `last_payment_error` and in error objects. */
export function paymentMethodObject(card: Card, id: string, created: number) {
  return {
    id,
    object: 'payment_method' as const,
    allow_redisplay: 'unspecified' as const,
    billing_details: NO_BILLING_DETAILS,
    card: {
      brand: card.brand,
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'unchecked' as const },
      country: 'US',
      display_brand: card.brand,
      exp_month: 12,
      exp_year: 2034,
      funding: 'credit',
      generated_from: null,
      last4: card.last4,
      networks: { available: [card.brand], preferred: null },
      regulated_status: 'unregulated' as const,
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    created,
    customer: null,
    customer_account: null,
    livemode: false,
    metadata: {},
    type: 'card' as const,
  };
}
