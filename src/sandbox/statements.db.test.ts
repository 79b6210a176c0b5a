import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Harness, openHarness } from './testing/harness.ts';
import { isAbout, openReceiver, type WebhookReceiver } from './testing/webhook-receiver.ts';

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

const PAYMENTS = 20;
const EVENTS_PER_PAYMENT = 4;

test('a payment with all its webhooks costs at most 12 statements', async () => {
  // The sandbox runs in this process, and every statement of its pool goes through a client's query.
  const query = vi.spyOn(pg.Client.prototype, 'query');
  for (let index = 0; index < PAYMENTS; index += 1) {
    const intent = await harness.stripe.paymentIntents.create(
      {
        amount: 1000,
        currency: 'usd',
        payment_method: 'pm_card_visa',
        metadata: { reference: `r-${index}` },
      },
      { idempotencyKey: `create-${index}` },
    );
    await harness.stripe.paymentIntents.confirm(
      intent.id,
      { return_url: 'https://shop.test/back', expand: ['latest_charge'] },
      { idempotencyKey: `confirm-${index}` },
    );
    await receiver.receive(isAbout(intent.id), EVENTS_PER_PAYMENT);
  }
  await expect
    .poll(async () => (await harness.stripe.events.list({ limit: 1 })).data[0]?.pending_webhooks)
    .toBe(0);
  const statements = query.mock.calls.length;
  query.mockRestore();
  expect(receiver.received).toHaveLength(PAYMENTS * EVENTS_PER_PAYMENT);
  expect(statements / PAYMENTS).toBeGreaterThanOrEqual(3);
  expect(statements / PAYMENTS).toBeLessThanOrEqual(12);
});
