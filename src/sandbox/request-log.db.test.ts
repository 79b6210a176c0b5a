import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { failure, type Harness, openHarness, stripeAt } from './testing/harness.ts';
import { openReceiver, type WebhookReceiver } from './testing/webhook-receiver.ts';

let receiver: WebhookReceiver;
let harness: Harness;
beforeAll(async () => {
  receiver = await openReceiver();
  harness = await openHarness({ webhook: { url: receiver.url, secret: receiver.secret } });
});
afterAll(async () => {
  await harness.close();
  await receiver.close();
});

const activity = (reference: string) =>
  harness.control<{ requests: object[]; webhooks: { type: string; result: string }[] }>(
    `/requests?reference=${reference}`,
  );

const returning = { return_url: 'https://shop.test/' };

async function createIntent(reference: string, paymentMethod: string): Promise<string> {
  const intent = await harness.stripe.paymentIntents.create({
    amount: 1000,
    currency: 'usd',
    payment_method: paymentMethod,
    metadata: { reference },
  });
  return intent.id;
}

test('the log has what arrived about a reference and how it was answered, and nothing of others', async () => {
  const [id] = [await createIntent('ours', 'pm_card_visa'), await createIntent('theirs', 'pm_card_visa')];
  const key = { idempotencyKey: randomUUID() };
  await harness.stripe.paymentIntents.confirm(id, returning, key);
  await harness.stripe.paymentIntents.confirm(id, returning, key);
  await harness.stripe.paymentIntents.retrieve(id);
  const { requests } = await activity('ours');
  const common = { intent: id, status: 200, sent: 'response', at_ms: expect.any(Number) };
  expect(requests).toEqual([
    { ...common, action: 'create', intent_status: 'requires_confirmation', replayed: false },
    { ...common, action: 'confirm', intent_status: 'succeeded', replayed: false },
    { ...common, action: 'confirm', intent_status: 'succeeded', replayed: true },
    { ...common, action: 'retrieve', intent_status: 'succeeded', replayed: false },
  ]);
  await expect
    .poll(async () => (await activity('ours')).webhooks)
    .toContainEqual(expect.objectContaining({ type: 'payment_intent.succeeded', result: '200' }));
});

test.each([
  ['pm_fault_charged_no_response', 'nothing'],
  ['pm_fault_not_charged_no_response', 'nothing'],
  ['pm_fault_charged_reset', 'reset'],
  ['pm_fault_truncated_response', 'half'],
])('after %s the log says that %s was sent', async (card, sent) => {
  const reference = `log-${card}`;
  const id = await createIntent(reference, card);
  const short = stripeAt(harness.sandbox.url, { timeout: 300 });
  await failure(short.paymentIntents.confirm(id, returning, { idempotencyKey: randomUUID() }));
  const { requests } = await activity(reference);
  expect(requests).toContainEqual(expect.objectContaining({ action: 'confirm', sent }));
});
