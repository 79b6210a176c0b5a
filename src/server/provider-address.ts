import type { Env } from './env.ts';

/** Where people see an intent at the provider: Stripe's dashboard, or the sandbox's ledger. Null: there is no intent. */
export function providerAddress(
  settings: Pick<Env, 'STRIPE_SECRET_KEY' | 'SANDBOX_URL'>,
  payment: { readonly intentId: string | null; readonly reference: string },
): string | null {
  if (!payment.intentId) return null;
  const { STRIPE_SECRET_KEY: key } = settings;
  if (!key)
    return `${settings.SANDBOX_URL}/_sandbox/charges?reference=${encodeURIComponent(payment.reference)}`;
  const mode = key.includes('_test_') ? 'test/' : '';
  return `https://dashboard.stripe.com/${mode}payments/${payment.intentId}`;
}
