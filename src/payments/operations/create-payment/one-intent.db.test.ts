import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Intent, PaymentProvider, ProviderResult } from '#payments/provider.ts';
import {
  bodyOf,
  command,
  newKey,
  openPaymentHarness,
  type PaymentHarness,
} from '#payments/testing/harness.ts';

import { restoreFromIntent } from './restore-from-intent.ts';

let harness: PaymentHarness;
beforeAll(async () => {
  harness = await openPaymentHarness();
});
afterAll(() => harness.close());

async function paidIntent(): Promise<string> {
  const { paymentId } = bodyOf(await harness.pay(command(), newKey()));
  const payment = await harness.db.payment.findFirstOrThrow({ where: { id: String(paymentId) } });
  return payment.providerIntentId ?? '';
}

const named = (result: ProviderResult, over: Partial<Intent>): ProviderResult =>
  result.kind === 'responded' ? { ...result, intent: { ...result.intent, ...over } } : result;

/** Pays while callers with other references share its statements, which are to succeed. */
async function payAmongOthers(key: string, using: Partial<PaymentProvider>) {
  const payCommand = command();
  const [outcome, ...others] = await Promise.all([
    harness.pay(payCommand, key, { ...harness.provider, ...using }),
    ...Array.from({ length: 8 }, () => harness.pay(command(), newKey())),
  ]);
  expect(others.map(({ kind }) => kind)).toEqual(others.map(() => 'completed'));
  const payment = await harness.db.payment.findFirstOrThrow({ where: { reference: payCommand.reference } });
  return { payCommand, outcome, payment };
}

test('an intent that another payment has is not confirmed: nothing is charged, and the key may try again', async () => {
  const intentId = await paidIntent();
  const key = newKey();
  const { payCommand, outcome, payment } = await payAmongOthers(key, {
    createIntent: async (request) => named(await harness.provider.createIntent(request), { id: intentId }),
    confirmIntent: () => expect.unreachable('It was confirmed.'),
  });
  expect(outcome).toMatchObject({ kind: 'refused' });
  expect(payment).toMatchObject({ status: 'released', providerIntentId: null });
  expect(bodyOf(await harness.pay(payCommand, key))).toMatchObject({ status: 'succeeded' });
});

test('an intent is booked for one payment: found for a second one, that one stays unknown', async () => {
  const intentId = await paidIntent();
  const { outcome, payment } = await payAmongOthers(newKey(), {
    async confirmIntent(own) {
      return named(await harness.provider.retrieveIntent(own), { id: intentId, state: 'succeeded' });
    },
  });
  expect(outcome).toMatchObject({ kind: 'pending' });
  expect(payment.status).toBe('pending');
  expect(await harness.db.payment.count({ where: { providerIntentId: intentId } })).toBe(1);
  expect(await harness.db.ledgerEntry.count({ where: { paymentId: payment.id } })).toBe(0);
});

test('an intent that another payment has is not restored for a second one, and the comparison with the provider goes on', async () => {
  const intentId = await paidIntent();
  const { payment } = await payAmongOthers(newKey(), {
    createIntent: async () => ({ kind: 'not_executed', code: 'provider_unreachable' }),
  });
  const found = await harness.provider.retrieveIntent(intentId);
  if (found.kind !== 'responded') throw new Error('Expected the intent.');
  const operation = harness.refOf(payment.operationId);
  expect(await restoreFromIntent(harness, operation, found.intent)).toBeUndefined();
  expect(await harness.db.payment.findMany({ where: { providerIntentId: intentId } })).toMatchObject([
    { status: 'succeeded' },
  ]);
});
