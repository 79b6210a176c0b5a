import { fork } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Outcome } from '#idempotency/index.ts';
import { type CreatePayment, createPaymentKind } from '#payments/index.ts';
import { bodyOf, command, newKey } from '#payments/testing/harness.ts';
import { createPayer, type DoomedPayment, type PayerSettings } from '#payments/testing/pay-and-die.ts';
import { createTestDatabase, type TestDatabase } from '#run/testing/database.ts';
import { startSandbox, type TestSandbox } from '#run/testing/sandbox.ts';
import { createReconciler, type Reconciler } from './reconcile.ts';

let database: TestDatabase;
let sandbox: TestSandbox;
let settings: PayerSettings;
let healthy: ReturnType<typeof createPayer>;
let reconciler: Reconciler;

beforeAll(async () => {
  [database, sandbox] = await Promise.all([createTestDatabase({ template: 'app' }), startSandbox()]);
  settings = {
    databaseUrl: database.url,
    sandboxUrl: sandbox.url,
    secretKey: sandbox.secretKey,
    responseKey: randomBytes(32).toString('hex'),
    tenantId: randomUUID(),
  };
  healthy = createPayer(settings);
  await healthy.db.organization.create({ data: { id: settings.tenantId, name: 'Acme', slug: 'acme' } });
  reconciler = createReconciler({
    ...healthy,
    investigators: [createPaymentKind.createInvestigator(healthy)],
  });
});
afterAll(async () => {
  await healthy.db.$disconnect();
  await Promise.all([database.drop(), sandbox.stop()]);
});

/** A process of its own that starts to pay, and is killed by SIGKILL on the way. */
async function payAndDie(dies: DoomedPayment['dies']) {
  const payment: DoomedPayment = { settings, command: command(), key: newKey(), dies };
  const child = fork(path.resolve('src/payments/testing/pay-and-die.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { NODE_ENV: 'test', PATH: process.env.PATH ?? '' },
  });
  child.send(payment);
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  return payment;
}

const findRecord = (key: string) =>
  healthy.db.idempotencyRecord.findFirst({ where: { tenantId: settings.tenantId, key } });
const refOf = (operationId: string) => ({ tenantId: settings.tenantId, id: operationId });
const codeOf = (outcome: Outcome) => (outcome.kind === 'refused' ? outcome.problem.spec.code : outcome.kind);

async function letLeaseRunOut(key: string): Promise<string> {
  const record = await findRecord(key);
  if (!record) throw new Error('the record is gone');
  await healthy.db.$executeRaw`
    UPDATE idempotency_record SET lease_until = clock_timestamp() - interval '1 second'
    WHERE tenant_id = ${record.tenantId} AND id = ${record.id}::uuid`;
  return record.id;
}

/** The statuses that the expired lease led to, from the events. */
async function expiredInto(operationId: string): Promise<string[]> {
  const events = await healthy.db.idempotencyEvent.findMany({
    where: { tenantId: settings.tenantId, recordId: operationId, cause: 'lease_expired' },
  });
  return events.map((event) => event.toStatus);
}

/** I1 and I2: one charge in the provider's own books, and ours complete and balanced. */
async function expectPaidOnce({
  command: payCommand,
  key,
}: {
  command: CreatePayment;
  key: string;
}): Promise<void> {
  expect(await sandbox.charges(payCommand.reference)).toMatchObject([{ status: 'succeeded', amount: 1200 }]);
  expect(await findRecord(key)).toMatchObject({ status: 'completed', recoveryPoint: 'finished' });
  const payments = await healthy.db.payment.findMany({
    where: { tenantId: settings.tenantId, reference: payCommand.reference },
    include: { ledger: true, events: true },
  });
  expect(payments).toMatchObject([{ status: 'succeeded', events: [{ type: 'payment.succeeded' }] }]);
  const entries = payments.flatMap(({ ledger }) => ledger.map(({ amountMinor }) => amountMinor));
  expect(entries.toSorted()).toEqual([-1200n, 1200n]);
  expect(await healthy.pay(payCommand, key)).toMatchObject({ kind: 'completed', replayed: true });
}

/** On one side of a commit, or on the other. */
const shortOf = (recoveryPoint: string, time = 1) => ({ recoveryPoint, side: 'before', time }) as const;
const past = (recoveryPoint: string, time = 1) => ({ recoveryPoint, side: 'after', time }) as const;

describe('row 15: killed before the confirm may have left', () => {
  test.each([
    { when: 'with the key taken', dies: past('claimed'), at: 'claimed', payment: undefined },
    {
      when: 'before the reference was taken',
      dies: shortOf('claimed', 2),
      at: 'claimed',
      payment: undefined,
    },
    { when: 'with the reference taken', dies: past('claimed', 2), at: 'claimed', payment: 'pending' },
    {
      when: 'before the intent was recorded',
      dies: shortOf('intent_created'),
      at: 'claimed',
      payment: 'pending',
    },
    {
      when: 'with the intent recorded',
      dies: past('intent_created'),
      at: 'intent_created',
      payment: 'pending',
    },
    {
      when: 'before the sending was recorded',
      dies: shortOf('confirm_sent'),
      at: 'intent_created',
      payment: 'pending',
    },
  ])('$when: the expired lease proves that nothing was sent, and the retry itself pays once', async (row) => {
    const payment = await payAndDie(row.dies);
    expect(await findRecord(payment.key)).toMatchObject({
      status: 'in_progress',
      attempt: 1,
      recoveryPoint: row.at,
    });
    const left = await healthy.db.payment.findFirst({ where: { reference: payment.command.reference } });
    expect(left?.status).toBe(row.payment);
    expect(codeOf(await healthy.pay(payment.command, payment.key))).toBe('idempotency_key_in_progress');

    const operationId = await letLeaseRunOut(payment.key);
    expect(bodyOf(await healthy.pay(payment.command, payment.key))).toMatchObject({
      status: 'succeeded',
      operationId,
    });
    expect(await expiredInto(operationId)).toEqual(['failed_retryable']);
    expect(await findRecord(payment.key)).toMatchObject({ attempt: 2 });
    await expectPaidOnce(payment);
  });

  test('before the key was taken: nothing is left, and the retry is the first attempt', async () => {
    const payment = await payAndDie(shortOf('claimed'));
    expect(await findRecord(payment.key)).toBeNull();
    expect(bodyOf(await healthy.pay(payment.command, payment.key))).toMatchObject({ status: 'succeeded' });
    expect(await findRecord(payment.key)).toMatchObject({ attempt: 1 });
    await expectPaidOnce(payment);
  });
});

describe('row 15: killed when the confirm may have left', () => {
  test.each([
    {
      when: 'with the sending recorded, but nothing sent',
      dies: past('confirm_sent'),
      truth: { kind: 'released', cause: 'payment_canceled' },
    },
    {
      when: 'when the provider has responded',
      dies: 'when the provider has responded' as const,
      truth: { kind: 'completed', cause: 'provider_succeeded' },
    },
    {
      when: 'before the end was committed',
      dies: shortOf('finished'),
      truth: { kind: 'completed', cause: 'provider_succeeded' },
    },
  ])(
    '$when: the expired lease proves nothing, only the provider’s evidence resolves it, paid once',
    async (row) => {
      const payment = await payAndDie(row.dies);
      expect(await findRecord(payment.key)).toMatchObject({
        status: 'in_progress',
        recoveryPoint: 'confirm_sent',
      });
      expect(codeOf(await healthy.pay(payment.command, payment.key))).toBe('idempotency_key_in_progress');

      const operationId = await letLeaseRunOut(payment.key);
      const unknown = { kind: 'pending', operationId, status: 'unknown' };
      expect(await healthy.pay(payment.command, payment.key)).toEqual(unknown);
      expect(await healthy.pay(payment.command, payment.key)).toEqual(unknown);
      expect(await expiredInto(operationId)).toEqual(['unknown']);

      expect(await reconciler.reconcile(refOf(operationId), 'test')).toEqual(row.truth);
      expect(bodyOf(await healthy.pay(payment.command, payment.key))).toMatchObject({
        status: 'succeeded',
        operationId,
      });
      await expectPaidOnce(payment);
    },
  );

  test('after the end was committed: there is nothing to repair, and the retry replays', async () => {
    const payment = await payAndDie(past('finished'));
    expect(await findRecord(payment.key)).toMatchObject({ status: 'completed', attempt: 1 });
    expect(await healthy.pay(payment.command, payment.key)).toMatchObject({
      kind: 'completed',
      replayed: true,
    });
    await expectPaidOnce(payment);
  });
});

describe('row 15: without a retry, the sweeper finds the expired lease', () => {
  async function sweep(key: string) {
    const record = await healthy.store.findById(refOf(await letLeaseRunOut(key)));
    if (!record) throw new Error('the record is gone');
    return healthy.engine.expireLease(createPaymentKind.definition, record, 'sweeper');
  }

  test('before the confirm: the key and the reference are free again, and nothing was charged', async () => {
    const payment = await payAndDie(past('intent_created'));
    expect(await sweep(payment.key)).toMatchObject({
      status: 'failed_retryable',
      recoveryPoint: 'intent_created',
    });
    expect(await sandbox.charges(payment.command.reference)).toEqual([]);
    const other = { ...payment, key: newKey() };
    expect(bodyOf(await healthy.pay(other.command, other.key))).toMatchObject({ status: 'succeeded' });
    expect(codeOf(await healthy.pay(payment.command, payment.key))).toBe('payment_exists_for_reference');
    expect(await sandbox.charges(payment.command.reference)).toHaveLength(1);
  });

  test('after the confirm: the payment is found and completed without a request', async () => {
    const payment = await payAndDie('when the provider has responded');
    const swept = await sweep(payment.key);
    expect(swept).toMatchObject({ status: 'unknown', recoveryPoint: 'confirm_sent' });
    expect(await reconciler.reconcile(refOf(swept?.id ?? ''), 'poller')).toMatchObject({ kind: 'completed' });
    await expectPaidOnce(payment);
  });
});
