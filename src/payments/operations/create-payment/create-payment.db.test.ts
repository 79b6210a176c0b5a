import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Intent, PaymentProvider } from '#payments/provider.ts';
import { createStripeProvider } from '#payments/stripe/provider.ts';
import { answered, command, newKey, openPaymentStand, type PaymentStand } from '#payments/testing/harness.ts';

let stand: PaymentStand;
beforeAll(async () => {
  stand = await openPaymentStand();
});
afterAll(() => stand.close());

/** I2: what must be true of our own books, seen from SQL. */
async function books(reference: string) {
  const payments = await stand.db.payment.findMany({
    where: { reference },
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
  test('charges once, and payment, balanced ledger, event, job and answer are written together', async () => {
    const wish = command();
    const outcome = await stand.pay(wish, newKey());
    expect(answered(outcome)).toMatchObject({ status: 'succeeded', amountMinor: 1200, currency: 'usd' });
    expect(await stand.sandbox.charges(wish.reference)).toMatchObject([
      { status: 'succeeded', amount: 1200 },
    ]);
    expect(await books(wish.reference)).toEqual([
      { status: 'succeeded', ledger: 0n, entries: 2, events: ['payment.succeeded'] },
    ]);
    const jobs = await stand.db.$queryRaw<{ task_identifier: string }[]>`
      SELECT j.task_identifier FROM graphile_worker.jobs j
      JOIN outbox_event e ON e.id::text = j.key JOIN payment p ON p.id = e.payment_id
      WHERE p.reference = ${wish.reference}`;
    expect(jobs).toEqual([{ task_identifier: 'payment_event' }]);
  });

  test('keeps of the card what a receipt may say: its brand and last four digits', async () => {
    const { reference } = command();
    await stand.pay(command({ reference, paymentMethod: 'pm_card_visa_chargeDeclined' }), newKey());
    answered(await stand.pay(command({ reference, paymentMethod: 'pm_card_mastercard' }), newKey()));
    const kept = await stand.db.payment.findMany({
      where: { reference },
      orderBy: { createdAt: 'asc' },
      select: { status: true, cardBrand: true, cardLast4: true },
    });
    expect(kept).toEqual([
      { status: 'declined', cardBrand: null, cardLast4: null },
      { status: 'succeeded', cardBrand: 'mastercard', cardLast4: '4444' },
    ]);
  });

  test('fifty simultaneous identical requests charge once; the others wait for it or replay it', async () => {
    const wish = command();
    const key = newKey();
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => stand.pay(wish, key)));
    const told = outcomes.map((outcome) =>
      outcome.kind === 'refused' ? outcome.problem.spec.code : outcome.kind,
    );
    expect(new Set(told).difference(new Set(['answered', 'idempotency_key_in_progress']))).toEqual(new Set());
    expect(await stand.sandbox.charges(wish.reference)).toHaveLength(1);
    expect(answered(await stand.pay(wish, key))).toMatchObject({ status: 'succeeded' });
  });

  test('a decline is a definitive answer: it is replayed, and another card under another key can pay', async () => {
    const reference = command().reference;
    const declined = command({ reference, paymentMethod: 'pm_card_visa_chargeDeclined' });
    const key = newKey();
    const first = await stand.pay(declined, key);
    expect(answered(first)).toMatchObject({ status: 'declined', declineCode: 'generic_decline' });
    expect(await stand.pay(declined, key)).toEqual({ ...first, replayed: true });

    expect(answered(await stand.pay(command({ reference }), newKey()))).toMatchObject({
      status: 'succeeded',
    });
    const charges = await stand.sandbox.charges(reference);
    expect(charges.map((charge) => charge.status).sort()).toEqual(['failed', 'succeeded']);
    expect(await books(reference)).toEqual([
      { status: 'declined', ledger: 0n, entries: 0, events: ['payment.declined'] },
      { status: 'succeeded', ledger: 0n, entries: 2, events: ['payment.succeeded'] },
    ]);
  });
});

describe('money that is not the money asked for', () => {
  /** The provider as it is, except for what it says of the intent it confirmed. */
  const saying = (over: Partial<Intent>): PaymentProvider => ({
    ...stand.provider,
    async confirmIntent(intentId, request) {
      const told = await stand.provider.confirmIntent(intentId, request);
      return told.kind === 'answered' ? { ...told, intent: { ...told.intent, ...over } } : told;
    },
  });

  test.each([{ amountMinor: 1 }, { amountMinor: 1201 }, { currency: 'eur' }])(
    'is not booked by the owner either (%o): unknown, with what was asked and what was found',
    async (other) => {
      const wish = command();
      const key = newKey();
      const outcome = await stand.pay(wish, key, saying(other));
      if (outcome.kind !== 'pending') throw new Error(`Expected pending, got ${JSON.stringify(outcome)}`);
      expect(await books(wish.reference)).toEqual([
        { status: 'pending', ledger: 0n, entries: 0, events: [] },
      ]);
      const doubt = await stand.db.idempotencyEvent.findFirst({
        where: { recordId: outcome.operationId, toStatus: 'unknown' },
      });
      const asked = { amountMinor: 1200, currency: 'usd' };
      expect(doubt).toMatchObject({
        cause: 'contradictory',
        evidence: { state: 'succeeded', asked, found: { ...asked, ...other } },
      });
      expect(await stand.pay(wish, key)).toMatchObject({ kind: 'pending', why: 'unknown' });
      expect(await stand.sandbox.charges(wish.reference)).toHaveLength(1);
    },
  );

  test('is none where the bank declined: that moved nothing, whatever amount it names', async () => {
    const wish = command({ paymentMethod: 'pm_card_visa_chargeDeclined' });
    const outcome = await stand.pay(wish, newKey(), saying({ amountMinor: 1 }));
    expect(answered(outcome)).toMatchObject({ status: 'declined', amountMinor: 1200 });
  });
});

describe('one live payment per reference', () => {
  test('a second key is told which payment holds the reference, and nothing is charged', async () => {
    const wish = command();
    const first = answered(await stand.pay(wish, newKey()));
    const second = await stand.pay(wish, newKey());
    expect(second).toMatchObject({
      kind: 'refused',
      problem: {
        spec: { code: 'payment_exists_for_reference' },
        extensions: { paymentId: first.paymentId, paymentStatus: 'succeeded' },
      },
    });
    expect(await stand.sandbox.charges(wish.reference)).toHaveLength(1);
  });

  test('ten different keys at once charge once', async () => {
    const wish = command();
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => stand.pay(wish, newKey())));
    expect(outcomes.filter((outcome) => outcome.kind === 'answered')).toHaveLength(1);
    expect(await stand.sandbox.charges(wish.reference)).toHaveLength(1);
  });
});

describe('a provider that cannot be reached', () => {
  test('leaves the key retryable and the reference free, and the retry charges once', async () => {
    const wish = command();
    const key = newKey();
    const nowhere = createStripeProvider({
      secretKey: 'sk_test_x',
      baseUrl: `http://127.0.0.1:${await closedPort()}`,
      timeoutMs: 1_000,
    });
    const first = await stand.pay(wish, key, nowhere);
    expect(first).toMatchObject({ kind: 'refused', problem: { spec: { code: 'provider_unavailable' } } });
    expect(await books(wish.reference)).toMatchObject([{ status: 'released', events: [] }]);

    expect(answered(await stand.pay(wish, key))).toMatchObject({ status: 'succeeded' });
    expect(await stand.sandbox.charges(wish.reference)).toHaveLength(1);
  });

  test('a released payment does not stop another key, and then stops being retryable itself', async () => {
    const wish = command();
    const key = newKey();
    const limited = { ...wish, paymentMethod: 'pm_fault_rate_limited' };
    expect(await stand.pay(limited, key)).toMatchObject({ kind: 'refused' });
    expect(answered(await stand.pay(wish, newKey()))).toMatchObject({ status: 'succeeded' });
    expect(await stand.pay(limited, key)).toMatchObject({
      problem: { spec: { code: 'payment_exists_for_reference' } },
    });
    expect((await stand.sandbox.charges(wish.reference)).map((charge) => charge.status)).toEqual([
      'succeeded',
    ]);
  });
});

test('the balance view says what each merchant is owed, and both sides of it agree', async () => {
  const { amountMinor } = command();
  const before = await balance();
  answered(await stand.pay(command(), newKey()));
  answered(await stand.pay(command({ paymentMethod: 'pm_card_visa_chargeDeclined' }), newKey()));
  const after = await balance();
  expect(after.provider_receivable - before.provider_receivable).toBe(BigInt(amountMinor));
  expect(after.merchant_payable).toBe(-after.provider_receivable);
});

async function balance() {
  const rows = await stand.db.$queryRaw<{ account: string; amount_minor: bigint }[]>`
    SELECT account, amount_minor FROM tenant_balance WHERE tenant_id = ${stand.tenantId} AND currency = 'usd'`;
  const of = (account: string) => rows.find((row) => row.account === account)?.amount_minor ?? 0n;
  return { provider_receivable: of('provider_receivable'), merchant_payable: of('merchant_payable') };
}

test('the ledger refuses a commit that does not balance', async () => {
  const wish = command();
  const { paymentId } = answered(await stand.pay(wish, newKey()));
  const lopsided = stand.db.ledgerEntry.create({
    data: {
      tenantId: stand.tenantId,
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
