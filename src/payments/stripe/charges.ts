import type Stripe from 'stripe';
import { isCurrency } from '../money.ts';
import type { ChargesResult, ProviderCharge } from '../provider.ts';
import { cardOf, silenceOf } from './result.ts';

/** A page waits for this, so it is short: the answer to "how many charges" is worth having, not worth waiting for. */
const patienceMs = 2_500;

/**
 * What is on the provider's books under a reference. Its search knows every intent that names the reference, also one we
 * never heard of, but at Stripe it lags by up to a minute; so the intents we know of are asked for as well.
 */
export async function findStripeCharges(
  stripe: Stripe,
  wanted: { readonly tenantId: string; readonly reference: string; readonly intentIds: readonly string[] },
): Promise<ChargesResult> {
  const options = { timeout: patienceMs };
  const query = `${clause('reference', wanted.reference)} AND ${clause('paidonce_tenant', wanted.tenantId)}`;
  const listOf = async (intent: string) =>
    (await stripe.charges.list({ payment_intent: intent, limit: 100 }, options)).data;
  try {
    const [known, found] = await Promise.all([
      Promise.all(wanted.intentIds.map(listOf)),
      stripe.paymentIntents.search({ query, limit: 100 }, options),
    ]);
    const unheardOf = found.data.map(({ id }) => id).filter((id) => !wanted.intentIds.includes(id));
    const charges = [...known, ...(await Promise.all(unheardOf.map(listOf)))].flat();
    return {
      kind: 'answered',
      charges: charges.sort((one, other) => one.created - other.created).map(chargeOf),
    };
  } catch (error) {
    return silenceOf(error);
  }
}

function clause(name: string, value: string): string {
  return `metadata["${name}"]:"${value.replaceAll(/["\\]/g, '\\$&')}"`;
}

function chargeOf(charge: Stripe.Charge): ProviderCharge {
  if (!isCurrency(charge.currency)) throw new Error(`The provider charged in ${charge.currency}.`);
  return {
    id: charge.id,
    state: charge.status === 'succeeded' ? 'succeeded' : charge.status === 'failed' ? 'failed' : 'pending',
    amountMinor: charge.amount,
    refundedMinor: charge.amount_refunded,
    currency: charge.currency,
    card: cardOf(charge),
    createdAt: new Date(charge.created * 1000),
  };
}
