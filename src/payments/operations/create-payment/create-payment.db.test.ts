import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operationRefOf } from '#idempotency/index.ts';
import type { Intent, PaymentProvider } from '#payments/provider.ts';
import { createStripeProvider } from '#payments/stripe/provider.ts';
import {
  bodyOf,
  command,
  newKey,
  openPaymentHarness,
  type PaymentHarness,
} from '#payments/testing/harness.ts';
import { returnUrl } from '#payments/testing/raw-provider.ts';
import { outboxTopic, topicOfReference } from '#payments/topics.ts';

let harness: PaymentHarness;
beforeAll(async () => {
  harness = await openPaymentHarness();
});
afterAll(() => harness.close());

/** I2: what must be true of our own books. */
async function books(reference: string) {
  const payments = await harness.db.payment.findMany({
    where: { tenantId: harness.tenantId, reference },
    include: { ledger: true, events: true },
    orderBy: { createdAt: 'asc' },
  });
  return payments.map((payment) => ({
    status: payment.status,
    ledger: payment.ledger.reduce((sum, entry) => sum + entry.amountMinor, 0n),
    entries: payment.ledger.length,
    events: payment.events.map((event) => event.type),
  }));
}

describe('a payment', () => {
  test('charges once, and payment, balanced ledger, event and response are written together', async () => {
    const payCommand = command();
    const outcome = await harness.pay(payCommand, newKey());
    expect(bodyOf(outcome)).toMatchObject({ status: 'succeeded', amountMinor: 1200, currency: 'usd' });
    expect(await harness.sandbox.charges(payCommand.reference)).toMatchObject([
      { status: 'succeeded', amount: 1200 },
    ]);
    expect(await books(payCommand.reference)).toEqual([
      { status: 'succeeded', ledger: 0n, entries: 2, events: ['payment.succeeded'] },
    ]);
    const waiting = {
      tenantId: harness.tenantId,
      payment: { reference: payCommand.reference },
      relayedAt: null,
    };
    expect(await harness.db.outboxEvent.count({ where: waiting })).toBe(1);
  });

  test('whose first request an older version sent with other parameters is not stuck: its key pays at the next try', async () => {
    const [payCommand, key] = [command(), newKey()];
    const { id } = operationRefOf({ tenantId: harness.tenantId, operation: 'payment.create', key });
    // The old version's process ended after it had created the intent, and before it recorded it.
    const sent = await fetch(`${harness.sandbox.url}/v1/payment_intents`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${harness.sandbox.secretKey}`,
        'Idempotency-Key': `paidonce-${id}-1-create`,
      },
      body: new URLSearchParams({ amount: '1200', currency: 'usd', payment_method: 'pm_card_visa' }),
    });
    expect(sent.status).toBe(200);
    expect(await harness.pay(payCommand, key)).toMatchObject({
      problem: { spec: { code: 'provider_unavailable' } },
    });
    expect(bodyOf(await harness.pay(payCommand, key))).toMatchObject({ status: 'succeeded' });
    expect(await harness.sandbox.charges(payCommand.reference)).toHaveLength(1);
  });

  test('wakes the pages that show its reference when it has ended, and then the relay', async () => {
    const topics: string[] = [];
    const unsubscribe = harness.listener.subscribe({
      onNotified: (topic) => topics.push(topic),
      onMissed: () => undefined,
    });
    await harness.listener.connected();
    const payCommand = command();
    bodyOf(await harness.pay(payCommand, newKey()));
    const { tenantId } = harness;
    const reference = topicOfReference({ tenantId, reference: payCommand.reference });
    await expect.poll(() => topics.filter((topic) => topic === reference)).toHaveLength(1);
    expect(topics).toContain(outboxTopic);
    unsubscribe();
  });

  test('keeps only the brand and the last four digits of the card', async () => {
    const { reference } = command();
    await harness.pay(command({ reference, paymentMethod: 'pm_card_visa_chargeDeclined' }), newKey());
    bodyOf(await harness.pay(command({ reference, paymentMethod: 'pm_card_mastercard' }), newKey()));
    const kept = await harness.db.payment.findMany({
      where: { tenantId: harness.tenantId, reference },
      orderBy: { createdAt: 'asc' },
      select: { status: true, cardBrand: true, cardLast4: true },
    });
    expect(kept).toEqual([
      { status: 'declined', cardBrand: null, cardLast4: null },
      { status: 'succeeded', cardBrand: 'mastercard', cardLast4: '4444' },
    ]);
  });

  test('fifty simultaneous identical requests charge once; the others wait for it or replay it', async () => {
    const payCommand = command();
    const key = newKey();
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => harness.pay(payCommand, key)));
    const results = outcomes.map((outcome) =>
      outcome.kind === 'refused' ? outcome.problem.spec.code : outcome.kind,
    );
    expect(new Set(results).difference(new Set(['completed', 'idempotency_key_in_progress']))).toEqual(
      new Set(),
    );
    expect(await harness.sandbox.charges(payCommand.reference)).toHaveLength(1);
    expect(bodyOf(await harness.pay(payCommand, key))).toMatchObject({ status: 'succeeded' });
  });

  test('a decline is a definitive response: it is replayed, and another card under another key can pay', async () => {
    const reference = command().reference;
    const declined = command({ reference, paymentMethod: 'pm_card_visa_chargeDeclined' });
    const key = newKey();
    const first = await harness.pay(declined, key);
    expect(bodyOf(first)).toMatchObject({ status: 'declined', declineCode: 'generic_decline' });
    expect(await harness.pay(declined, key)).toEqual({ ...first, replayed: true });

    expect(bodyOf(await harness.pay(command({ reference }), newKey()))).toMatchObject({
      status: 'succeeded',
    });
    const charges = await harness.sandbox.charges(reference);
    expect(charges.map((charge) => charge.status).sort()).toEqual(['failed', 'succeeded']);
    expect(await books(reference)).toEqual([
      { status: 'declined', ledger: 0n, entries: 0, events: ['payment.declined'] },
      { status: 'succeeded', ledger: 0n, entries: 2, events: ['payment.succeeded'] },
    ]);
  });
});

describe('a charge of another amount than was requested', () => {
  /** The provider, with another state of the intent that it confirmed. */
  const withIntent = (over: Partial<Intent>): PaymentProvider => ({
    ...harness.provider,
    async confirmIntent(intentId, request) {
      const result = await harness.provider.confirmIntent(intentId, request);
      return result.kind === 'responded' ? { ...result, intent: { ...result.intent, ...over } } : result;
    },
  });

  test.each([{ amountMinor: 1 }, { amountMinor: 1201 }, { currency: 'eur' }])(
    'is not booked by the owner (%o): unknown, with what was requested and what was found',
    async (other) => {
      const payCommand = command();
      const key = newKey();
      const outcome = await harness.pay(payCommand, key, withIntent(other));
      if (outcome.kind !== 'pending') throw new Error(`Expected pending, got ${JSON.stringify(outcome)}`);
      expect(await books(payCommand.reference)).toEqual([
        { status: 'pending', ledger: 0n, entries: 0, events: [] },
      ]);
      const event = await harness.db.idempotencyEvent.findFirst({
        where: { tenantId: harness.tenantId, recordId: outcome.operationId, toStatus: 'unknown' },
      });
      const asked = { amountMinor: 1200, currency: 'usd' };
      expect(event).toMatchObject({
        cause: 'contradictory',
        evidence: { state: 'succeeded', asked, found: { ...asked, ...other } },
      });
      expect(await harness.pay(payCommand, key)).toMatchObject({ kind: 'pending', status: 'unknown' });
      expect(await harness.sandbox.charges(payCommand.reference)).toHaveLength(1);
    },
  );

  test('is irrelevant where the bank declined: that moved nothing', async () => {
    const payCommand = command({ paymentMethod: 'pm_card_visa_chargeDeclined' });
    const outcome = await harness.pay(payCommand, newKey(), withIntent({ amountMinor: 1 }));
    expect(bodyOf(outcome)).toMatchObject({ status: 'declined', amountMinor: 1200 });
  });
});

describe('one live payment per reference', () => {
  test('a second key gets the payment that holds the reference, and nothing is charged', async () => {
    const payCommand = command();
    const first = bodyOf(await harness.pay(payCommand, newKey()));
    const second = await harness.pay(payCommand, newKey());
    expect(second).toMatchObject({
      kind: 'refused',
      problem: {
        spec: { code: 'payment_exists_for_reference' },
        extensions: { paymentId: first.paymentId, paymentStatus: 'succeeded' },
      },
    });
    expect(await harness.sandbox.charges(payCommand.reference)).toHaveLength(1);
  });

  test('ten different keys at once charge once', async () => {
    const payCommand = command();
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => harness.pay(payCommand, newKey())));
    expect(outcomes.filter((outcome) => outcome.kind === 'completed')).toHaveLength(1);
    expect(await harness.sandbox.charges(payCommand.reference)).toHaveLength(1);
  });
});

describe('a provider that cannot be reached', () => {
  test('leaves the key retryable and the reference free, and the retry charges once', async () => {
    const payCommand = command();
    const key = newKey();
    const nowhere = createStripeProvider({
      secretKey: 'sk_test_x',
      baseUrl: `http://127.0.0.1:${await closedPort()}`,
      timeoutMs: 1_000,
      returnUrl,
    });
    const first = await harness.pay(payCommand, key, nowhere);
    expect(first).toMatchObject({ kind: 'refused', problem: { spec: { code: 'provider_unavailable' } } });
    expect(await books(payCommand.reference)).toMatchObject([{ status: 'released', events: [] }]);

    expect(bodyOf(await harness.pay(payCommand, key))).toMatchObject({ status: 'succeeded' });
    expect(await harness.sandbox.charges(payCommand.reference)).toHaveLength(1);
  });

  test('a released payment does not stop another key, and then stops being retryable itself', async () => {
    const payCommand = command();
    const key = newKey();
    const limited = { ...payCommand, paymentMethod: 'pm_fault_rate_limited' };
    expect(await harness.pay(limited, key)).toMatchObject({ kind: 'refused' });
    expect(bodyOf(await harness.pay(payCommand, newKey()))).toMatchObject({ status: 'succeeded' });
    expect(await harness.pay(limited, key)).toMatchObject({
      problem: { spec: { code: 'payment_exists_for_reference' } },
    });
    expect((await harness.sandbox.charges(payCommand.reference)).map((charge) => charge.status)).toEqual([
      'succeeded',
    ]);
  });
});

test('the balance view shows what each merchant is owed, and both accounts agree', async () => {
  const { amountMinor } = command();
  const before = await balance();
  bodyOf(await harness.pay(command(), newKey()));
  bodyOf(await harness.pay(command({ paymentMethod: 'pm_card_visa_chargeDeclined' }), newKey()));
  const after = await balance();
  expect(after.provider_receivable - before.provider_receivable).toBe(BigInt(amountMinor));
  expect(after.merchant_payable).toBe(-after.provider_receivable);
});

async function balance() {
  const rows = await harness.db.$queryRaw<{ account: string; amount_minor: bigint }[]>`
    SELECT account, amount_minor FROM tenant_balance WHERE tenant_id = ${harness.tenantId} AND currency = 'usd'`;
  const of = (account: string) => rows.find((row) => row.account === account)?.amount_minor ?? 0n;
  return { provider_receivable: of('provider_receivable'), merchant_payable: of('merchant_payable') };
}

test('the ledger refuses a statement that does not balance', async () => {
  const payCommand = command();
  const { paymentId } = bodyOf(await harness.pay(payCommand, newKey()));
  const lopsided = harness.db.ledgerEntry.create({
    data: {
      tenantId: harness.tenantId,
      paymentId: String(paymentId),
      kind: 'adjustment',
      sourceId: String(paymentId),
      account: 'merchant_payable',
      amountMinor: 1,
      currency: 'usd',
    },
  });
  await expect(lopsided).rejects.toThrow('do not sum to zero');
});

/** A port that was just free: connecting to it is refused. */
function closedPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
