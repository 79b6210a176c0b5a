import { randomUUID } from 'node:crypto';
import type Stripe from 'stripe';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CARD_ONLY, chargesOf, failure, type Harness, openHarness } from './testing/harness.ts';

let harness: Harness;
let stripe: Stripe;
beforeAll(async () => {
  harness = await openHarness();
  stripe = harness.stripe;
});
afterAll(() => harness.close());

const pay = (amount = 1000) =>
  stripe.paymentIntents.create({
    ...CARD_ONLY,
    amount,
    currency: 'usd',
    payment_method: 'pm_card_visa',
    confirm: true,
  });

test('a refund without an amount refunds all that is left', async () => {
  const paid = await pay();
  await stripe.refunds.create({ payment_intent: paid.id, amount: 300 });
  const rest = await stripe.refunds.create({
    charge: paid.latest_charge as string,
    reason: 'requested_by_customer',
    metadata: { ticket: '7' },
  });
  expect(rest).toMatchObject({
    object: 'refund',
    amount: 700,
    status: 'succeeded',
    payment_intent: paid.id,
    reason: 'requested_by_customer',
    metadata: { ticket: '7' },
  });
  expect(rest.id).toMatch(/^re_/);
  const charge = await stripe.charges.retrieve(paid.latest_charge as string);
  expect(charge).toMatchObject({ amount_refunded: 1000, refunded: true });
  expect(await chargesOf(harness, paid.id)).toEqual([expect.objectContaining({ status: 'refunded' })]);
});

test('more than what is left is refused, with both amounts in the message', async () => {
  const paid = await pay(2500);
  await stripe.refunds.create({ payment_intent: paid.id, amount: 400 });
  const refused = await failure(stripe.refunds.create({ payment_intent: paid.id, amount: 2200 }));
  expect(refused).toMatchObject({ statusCode: 400, param: 'amount' });
  expect(refused.message).toBe('Refund amount ($22.00) is greater than unrefunded amount on charge ($21.00)');
});

test('a charge that was refunded in full cannot be refunded again', async () => {
  const paid = await pay();
  await stripe.refunds.create({ payment_intent: paid.id });
  const refused = await failure(stripe.refunds.create({ payment_intent: paid.id }));
  expect(refused).toMatchObject({ statusCode: 400, code: 'charge_already_refunded' });
});

test('concurrent refunds never exceed what was charged', async () => {
  const paid = await pay(1000);
  const outcomes = await Promise.allSettled(
    Array.from({ length: 8 }, () => stripe.refunds.create({ payment_intent: paid.id, amount: 300 })),
  );
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  // Refused by the code, and not by the CHECK behind it, which would be a 500.
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ statusCode: 400 });
  expect(await stripe.charges.retrieve(paid.latest_charge as string)).toMatchObject({ amount_refunded: 900 });
});

test('a retried refund is carried out once', async () => {
  const paid = await pay();
  const key = randomUUID();
  const refund = () =>
    stripe.refunds.create({ payment_intent: paid.id, amount: 400 }, { idempotencyKey: key });
  expect((await refund()).id).toBe((await refund()).id);
  expect((await stripe.refunds.list({ payment_intent: paid.id })).data).toHaveLength(1);
});

test('a refund that fails later makes its amount refundable again, and its key still replays the first response', async () => {
  const paid = await pay();
  const key = randomUUID();
  const refund = () =>
    stripe.refunds.create({ payment_intent: paid.id, amount: 400 }, { idempotencyKey: key });
  const first = await refund();
  await harness.control('/refunds/fail', { refund: first.id });
  expect(await stripe.refunds.retrieve(first.id)).toMatchObject({ status: 'failed' });
  expect(await refund()).toEqual(first);
  expect(await stripe.charges.retrieve(paid.latest_charge as string)).toMatchObject({ amount_refunded: 0 });
  const events = await stripe.events.list({ type: 'refund.failed' });
  expect(events.data.map(({ data }) => data.object)).toEqual([
    expect.objectContaining({ id: first.id, status: 'failed' }),
  ]);
  await expect(harness.control('/refunds/fail', { refund: first.id })).rejects.toThrow('404');
});

test('an intent without a successful charge cannot be refunded', async () => {
  const intent = await stripe.paymentIntents.create({ ...CARD_ONLY, amount: 500, currency: 'usd' });
  expect(await failure(stripe.refunds.create({ payment_intent: intent.id }))).toMatchObject({
    statusCode: 400,
  });
  expect(await failure(stripe.refunds.create({ payment_intent: 'pi_nowhere' }))).toMatchObject({
    code: 'resource_missing',
  });
  expect(await failure(stripe.refunds.create({ charge: 'ch_nowhere' }))).toMatchObject({
    code: 'resource_missing',
  });
  expect(await failure(stripe.refunds.create({}))).toMatchObject({ statusCode: 400 });
});

test('refunds are read one by one, by charge and by intent', async () => {
  const paid = await pay();
  const first = await stripe.refunds.create({ payment_intent: paid.id, amount: 1 });
  const second = await stripe.refunds.create({ payment_intent: paid.id, amount: 2 });
  expect(await stripe.refunds.retrieve(first.id)).toEqual(first);
  const byCharge = await stripe.refunds.list({ charge: paid.latest_charge as string });
  expect(byCharge.data.map(({ id }) => id)).toEqual([second.id, first.id]);
  const { data } = await harness.control<{ data: object[] }>(`/refunds?intent=${paid.id}`);
  expect(data).toEqual([
    expect.objectContaining({ id: first.id, amount: 1, status: 'succeeded', charge: paid.latest_charge }),
    expect.objectContaining({ id: second.id, amount: 2, intent: paid.id }),
  ]);
});
