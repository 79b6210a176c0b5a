import type Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CARD_ONLY, failure, type Harness, openHarness } from './testing/harness.ts';

let harness: Harness;
let stripe: Stripe;
let paid: Stripe.PaymentIntent;
let refund: Stripe.Refund;
beforeAll(async () => {
  harness = await openHarness();
  stripe = harness.stripe;
  paid = await stripe.paymentIntents.create({
    ...CARD_ONLY,
    amount: 1000,
    currency: 'usd',
    payment_method: 'pm_card_visa',
    metadata: { reference: 'expanded' },
    confirm: true,
  });
  refund = await stripe.refunds.create({ payment_intent: paid.id, amount: 400 });
});
afterAll(() => harness.close());

const charge = () => paid.latest_charge as string;

describe('an expanded property is the object that it names', () => {
  test('of an intent: charge and payment method, also two levels deep, in every call that returns one', async () => {
    const expand = ['latest_charge.balance_transaction', 'payment_method', 'customer'];
    const read = await stripe.paymentIntents.retrieve(paid.id, { expand });
    expect(read.payment_method).toMatchObject({ object: 'payment_method', card: { last4: '4242' } });
    expect(read.latest_charge).toMatchObject({
      object: 'charge',
      balance_transaction: { object: 'balance_transaction', amount: 1000, net: 1000, type: 'charge' },
    });
    expect(read.customer).toBeNull();

    const other = await stripe.paymentIntents.create({
      ...CARD_ONLY,
      ...{ amount: 900, currency: 'usd', payment_method: 'pm_card_amex', expand: ['payment_method'] },
    });
    expect(other.payment_method).toMatchObject({ card: { brand: 'amex' } });
    const confirmed = await stripe.paymentIntents.confirm(other.id, { expand: ['latest_charge'] });
    expect(confirmed.latest_charge).toMatchObject({ payment_intent: other.id, paid: true });
    const third = await stripe.paymentIntents.create({ amount: 900, currency: 'usd' });
    const canceled = await stripe.paymentIntents.cancel(third.id, { expand: ['payment_method'] });
    expect(canceled).toMatchObject({ status: 'canceled', payment_method: null });
  });

  test('of a refund: charge, intent and balance transaction', async () => {
    const expand = ['charge.payment_intent', 'payment_intent', 'balance_transaction'];
    const read = await stripe.refunds.retrieve(refund.id, { expand });
    expect(read.charge).toMatchObject({ id: charge(), payment_intent: { id: paid.id, status: 'succeeded' } });
    expect(read.payment_intent).toMatchObject({ id: paid.id });
    expect(read.balance_transaction).toMatchObject({ amount: -400, type: 'refund', source: refund.id });
    const made = await stripe.refunds.create({ charge: charge(), amount: 100, expand: ['charge'] });
    expect(made.charge).toMatchObject({ object: 'charge', amount_refunded: 500 });
  });

  test('of a charge: intent and refunds', async () => {
    const read = await stripe.charges.retrieve(charge(), {
      expand: ['payment_intent', 'refunds', 'refunds.data.balance_transaction'],
    });
    expect(read.payment_intent).toMatchObject({ object: 'payment_intent', id: paid.id });
    expect(read.refunds).toMatchObject({ object: 'list', has_more: false });
    expect(read.refunds?.data.map(({ id }) => id)).toContain(refund.id);
    expect(read.refunds?.data[0]?.balance_transaction).toMatchObject({ object: 'balance_transaction' });
  });

  test('of lists and of search results, behind data', async () => {
    const refunds = await stripe.refunds.list({ charge: charge(), expand: ['data.charge'] });
    expect(refunds.data[0]?.charge).toMatchObject({ id: charge() });
    const charges = await stripe.charges.list({ payment_intent: paid.id, expand: ['data.payment_intent'] });
    expect(charges.data[0]?.payment_intent).toMatchObject({ id: paid.id });
    const intents = await stripe.paymentIntents.list({ expand: ['data.latest_charge'] });
    const listed = intents.data.find(({ id }) => id === paid.id);
    expect(listed?.latest_charge).toMatchObject({ id: charge() });
    const found = await stripe.paymentIntents.search({
      query: "metadata['reference']:'expanded'",
      expand: ['data.latest_charge', 'total_count'],
    });
    expect(found.data[0]?.latest_charge).toMatchObject({ id: charge() });
    expect(found.total_count).toBe(1);
  });
});

describe('a property that cannot be expanded is refused', () => {
  const cannot = (path: string) => `This property cannot be expanded (${path}).`;

  test.each<[string, () => Promise<unknown>, string]>([
    [
      'unknown',
      () => stripe.paymentIntents.retrieve(paid.id, { expand: ['latest_chrage'] }),
      cannot('latest_chrage'),
    ],
    ['not an object', () => stripe.charges.retrieve(charge(), { expand: ['metadata'] }), cannot('metadata')],
    [
      'unknown in the second level',
      () => stripe.refunds.retrieve(refund.id, { expand: ['charge.colour'] }),
      cannot('charge.colour'),
    ],
    [
      'of a list without data',
      () => stripe.charges.list({ expand: ['payment_intent'] }),
      `${cannot('payment_intent')} You may want to try expanding 'data.payment_intent' instead.`,
    ],
    ['of an event', () => stripe.events.list({ expand: ['data.data.object'] }), cannot('data.data.object')],
    [
      'five levels deep',
      () =>
        stripe.paymentIntents.list({
          expand: ['data.latest_charge.payment_intent.latest_charge.payment_intent'],
        }),
      'You cannot expand more than 4 levels of a property. Property: data.latest_charge.payment_intent.latest_charge.payment_intent',
    ],
  ])('%s', async (_name, call, message) => {
    expect(await failure(call())).toMatchObject({ statusCode: 400, message });
  });

  test('before anything is done: the refund was not made', async () => {
    const before = await stripe.refunds.list({ charge: charge() });
    const refused = await failure(stripe.refunds.create({ charge: charge(), amount: 1, expand: ['colour'] }));
    expect(refused.message).toBe(cannot('colour'));
    expect((await stripe.refunds.list({ charge: charge() })).data).toHaveLength(before.data.length);
  });
});
