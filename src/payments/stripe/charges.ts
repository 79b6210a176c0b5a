import type Stripe from 'stripe';
import { isCurrency } from '../money.ts';
import type { ChargesResult, ProviderCharge } from '../provider.ts';
import { cardOf, failureOf, InvalidList, idOf, timeOf } from './result.ts';
import { chargeShape } from './shapes.ts';

/** Short, because a page waits for it and is useful without it. */
const timeoutMs = 2_500;
const limit = 100;

/**
 * The provider's charges under a reference. Its search finds every intent that names the reference, also one that we do not
 * know of, but at Stripe it lags by up to a minute; so the intents that we know of are listed as well.
 */
export async function findStripeCharges(
  stripe: Stripe,
  wanted: { readonly tenantId: string; readonly reference: string; readonly intentIds: readonly string[] },
): Promise<ChargesResult> {
  const options = { timeout: timeoutMs };
  const query = `${clause('reference', wanted.reference)} AND ${clause('paidonce_tenant', wanted.tenantId)}`;
  const listOf = async (intent: string) => {
    const { data } = await stripe.charges.list({ payment_intent: intent, limit }, options);
    if (data.some(({ payment_intent: of }) => idOf(of) !== intent))
      throw new InvalidList('It is of another intent.');
    return data;
  };
  // What a search takes for the same is not ours to say: it may, for instance, not distinguish capitals, and our references do.
  const isWanted = ({ metadata }: Stripe.PaymentIntent) =>
    metadata?.reference === wanted.reference && metadata.paidonce_tenant === wanted.tenantId;
  try {
    const [known, found] = await Promise.all([
      Promise.all(wanted.intentIds.map(listOf)),
      stripe.paymentIntents.search({ query, limit }, options),
    ]);
    // Each is asked for, so that a list beyond the limit would become as many requests.
    if (found.data.length > limit) throw new InvalidList('It is longer than was asked for.');
    const unknownIds = found.data
      .filter((one) => isWanted(one) && !wanted.intentIds.includes(one.id))
      .map(({ id }) => id);
    const charges = [...known, ...(await Promise.all(unknownIds.map(listOf)))].flat();
    return {
      kind: 'responded',
      charges: charges.sort((one, other) => one.created - other.created).map(chargeOf),
    };
  } catch (error) {
    return failureOf(error);
  }
}

function clause(name: string, value: string): string {
  return `metadata["${name}"]:"${value.replaceAll(/["\\]/g, '\\$&')}"`;
}

function chargeOf(charge: Stripe.Charge): ProviderCharge {
  if (!isCurrency(charge.currency)) throw new Error(`The provider charged in ${charge.currency}.`);
  const createdAt = timeOf(charge.created);
  const read = chargeShape.safeParse(charge).data;
  const isMoney = [charge.amount, charge.amount_refunded].every(Number.isSafeInteger);
  if (!read || !createdAt || !isMoney) throw new InvalidList('It has no charge.');
  return {
    id: charge.id,
    state: charge.status === 'succeeded' ? 'succeeded' : charge.status === 'failed' ? 'failed' : 'pending',
    amountMinor: charge.amount,
    refundedMinor: charge.amount_refunded,
    currency: charge.currency,
    card: cardOf(read),
    createdAt,
  };
}
