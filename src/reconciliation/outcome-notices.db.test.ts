import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createResponseCipher } from '#idempotency/index.ts';
import { createPaymentKind, type PaymentProvider } from '#payments/index.ts';
import { createOutbox, type Outbox } from '#payments/outbox/index.ts';
import { command, newKey, openPaymentHarness, type PaymentHarness } from '#payments/testing/harness.ts';
import { createReconciler, type Reconciler } from './reconcile.ts';

let harness: PaymentHarness;
let reconciler: Reconciler;
let outbox: Outbox;
beforeAll(async () => {
  harness = await openPaymentHarness();
  reconciler = createReconciler({
    ...harness,
    investigators: [createPaymentKind.createInvestigator(harness)],
  });
  outbox = createOutbox(harness.db, {
    consumers: {},
    describePurchase: async () => ({ orderedAt: new Date(), orderUrl: 'https://shop.example', lines: [] }),
    mail: {},
    webhookAddresses: 'public',
    cipher: createResponseCipher([{ id: 'test', key: randomBytes(32) }]),
  });
});
afterAll(() => harness.close());

type Confirm = PaymentProvider['confirmIntent'];
const lost: Confirm = async () => ({ kind: 'ambiguous', code: 'provider_timeout' });
const unreachable: Confirm = async () => ({ kind: 'not_executed', code: 'provider_unreachable' });

/** A payment of an order: its attempts under one key, and the e-mails about it that have been written so far. */
function payingShopper(paymentMethod = 'pm_card_visa') {
  const [toAddress, key] = [`${newKey()}@shop.example`, newKey()];
  const payCommand = command({ paymentMethod, receiptEmail: toAddress });
  const attempt = (confirmIntent: Confirm = harness.provider.confirmIntent) =>
    harness.pay(payCommand, key, { ...harness.provider, confirmIntent });
  return {
    attempt,
    /** Its outcome is not known, and reconciliation finds that nothing was charged. */
    async attemptUnknown(actor = 'poller') {
      const { operationId = '' } = await attempt(lost);
      const found = await reconciler.reconcile(harness.refOf(operationId), actor);
      expect(found).toMatchObject({ kind: expect.stringMatching(/released|completed/) });
    },
    async emails() {
      while ((await outbox.relay()) > 0);
      return harness.db.email.count({ where: { toAddress } });
    },
  };
}

test('an e-mail that nothing was charged is sent for each attempt that was unknown, and not for its retries', async () => {
  const { attempt, attemptUnknown, emails } = payingShopper();
  await attempt(unreachable);
  expect(await emails()).toBe(0);
  await attemptUnknown();
  expect(await emails()).toBe(1);
  for (let retry = 0; retry < 3; retry++)
    expect(await attempt(unreachable)).toMatchObject({ kind: 'refused' });
  expect(await emails()).toBe(1);
  await attemptUnknown();
  expect(await emails()).toBe(2);
});

test('nor when the bank declines a retry at once: the shopper sees that on the page', async () => {
  const { attempt, attemptUnknown, emails } = payingShopper('pm_card_chargeDeclined');
  await attemptUnknown();
  expect(await emails()).toBe(1);
  expect(await attempt()).toMatchObject({ kind: 'completed' });
  expect(await emails()).toBe(1);
});

test('an e-mail is sent when an unknown attempt turns out to be declined', async () => {
  const { attempt, emails } = payingShopper('pm_card_chargeDeclined');
  const { operationId = '' } = await attempt(async (...call) => {
    await harness.provider.confirmIntent(...call);
    return { kind: 'ambiguous', code: 'provider_timeout' };
  });
  expect(await reconciler.reconcile(harness.refOf(operationId), 'poller')).toMatchObject({
    kind: 'completed',
  });
  expect(await emails()).toBe(1);
});

test.each(['shopper', 'return'])('no e-mail is sent to a shopper who waits for it (%s)', async (actor) => {
  const { attempt, attemptUnknown, emails } = payingShopper();
  await attemptUnknown(actor);
  await attempt(unreachable);
  expect(await emails()).toBe(0);
});
