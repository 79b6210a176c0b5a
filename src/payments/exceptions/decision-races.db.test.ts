import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Outcome } from '#idempotency/index.ts';
import { createPaymentKind } from '../operations/create-payment/kind.ts';
import { createRefundKind } from '../operations/create-refund/kind.ts';
import { runOperation } from '../operations/run-operation.ts';
import type { PaymentProvider } from '../provider.ts';
import { bodyOf, command, newKey, openPaymentHarness, type PaymentHarness } from '../testing/harness.ts';
import { bookException } from './book-exception.ts';
import { openException } from './open-exception.ts';
import { refundException } from './refund-exception.ts';

// An operator decides at the moment in which the key of the payment or refund, or another operator, is at work as well. The rows
// are locked by the test, so that the two meet.
let harness: PaymentHarness;
beforeAll(async () => {
  harness = await openPaymentHarness();
});
afterAll(() => harness.close());

const decision = { actor: 'operator:1', reason: 'the standby was promoted', writes: async () => undefined };

/** As a restore can make it: only the triggers would refuse it. */
async function lose(statements: readonly string[], operationId: unknown): Promise<void> {
  await harness.db.$transaction(async (tx) => {
    await tx.$executeRawUnsafe('SET LOCAL session_replication_role = replica');
    for (const sql of statements) await tx.$executeRawUnsafe(sql, harness.tenantId, operationId);
  });
}

const loseRecord = [
  'DELETE FROM idempotency_event WHERE tenant_id = $1 AND record_id = $2::uuid',
  'DELETE FROM idempotency_record WHERE tenant_id = $1 AND id = $2::uuid',
];

const findException = (about: { paymentId: string } | { refundId: string }) =>
  harness.db.reconciliationException.findFirstOrThrow({ where: { ...about, reason: 'record_lost' } });

const untilWaiting = (count: number) => expect.poll(harness.countWaiting).toBe(count);

/** Starts both while the row is locked, so that each has read what it reads before the lock. */
async function atOnce<A, B>(
  row: { table: 'payment' | 'reconciliation_exception'; id: string },
  one: () => Promise<A>,
  other: () => Promise<B>,
) {
  const [locked, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holder = harness.db.$transaction(
    async (tx) => {
      const sql = `SELECT FROM ${row.table} WHERE tenant_id = $1 AND id = $2::uuid FOR UPDATE`;
      await tx.$executeRawUnsafe(sql, harness.tenantId, row.id);
      locked.resolve();
      await goOn.promise;
    },
    { timeout: 30_000 },
  );
  await locked.promise;
  const first = one();
  await untilWaiting(1);
  const second = other();
  await untilWaiting(2);
  goOn.resolve();
  await holder;
  return Promise.all([first, second]);
}

async function lostPayment() {
  const [payCommand, key] = [command(), newKey()];
  const first = bodyOf(await harness.pay(payCommand, key));
  const paymentId = String(first.paymentId);
  const { providerIntentId } = await harness.db.payment.findFirstOrThrow({ where: { id: paymentId } });
  const ofPayment = '(SELECT id FROM payment WHERE tenant_id = $1 AND operation_id = $2::uuid)';
  await lose(
    [
      `DELETE FROM outbox_event WHERE tenant_id = $1 AND payment_id IN ${ofPayment}`,
      `DELETE FROM ledger_entry WHERE tenant_id = $1 AND payment_id IN ${ofPayment}`,
      'DELETE FROM payment WHERE tenant_id = $1 AND operation_id = $2::uuid',
      ...loseRecord,
    ],
    first.operationId,
  );
  await createPaymentKind.createFollower(harness).follow({
    ...{ operation: harness.refOf(String(first.operationId)), object: 'payment_intent' },
    intentId: providerIntentId ?? '',
  });
  const { id } = await findException({ paymentId });
  return { paymentId, again: () => harness.pay(payCommand, key), book: () => bookAs(id) };
}

async function lostRefund() {
  const paymentId = String(bodyOf(await harness.pay(command(), newKey())).paymentId);
  const [input, key] = [{ paymentId, reference: 'return-1', amountMinor: 500 }, newKey()];
  const caller = { tenantId: harness.tenantId, principal: 'tester', keyHeader: key };
  const again = () => runOperation(harness, createRefundKind, caller, input);
  const first = bodyOf(await again());
  const { providerIntentId } = await harness.db.payment.findFirstOrThrow({ where: { id: paymentId } });
  const ofRefund = '(SELECT id FROM refund WHERE tenant_id = $1 AND operation_id = $2::uuid)';
  await lose(
    [
      `UPDATE payment SET refunded_minor = 0 WHERE tenant_id = $1 AND id = (
        SELECT payment_id FROM refund WHERE tenant_id = $1 AND operation_id = $2::uuid)`,
      `DELETE FROM outbox_event WHERE tenant_id = $1 AND source_id = ${ofRefund}`,
      `DELETE FROM ledger_entry WHERE tenant_id = $1 AND source_id = ${ofRefund}`,
      'DELETE FROM refund WHERE tenant_id = $1 AND operation_id = $2::uuid',
      ...loseRecord,
    ],
    first.operationId,
  );
  await createRefundKind.createFollower(harness).follow({
    ...{ operation: harness.refOf(String(first.operationId)), object: 'refund' },
    intentId: providerIntentId ?? '',
  });
  const { id } = await findException({ refundId: String(first.refundId) });
  return { paymentId, refundId: String(first.refundId), again, book: () => bookAs(id) };
}

const bookAs = (id: string) => bookException(harness, harness.tenantId, id, decision);

const booksOf = (id: string) =>
  harness.db.payment.findFirstOrThrow({
    where: { id },
    select: { status: true, refundedMinor: true, ledger: true, refunds: { select: { status: true } } },
  });

const orders = ['its key first', 'the operator first'] as const;

/** What the key gets. */
async function race(
  order: (typeof orders)[number],
  { paymentId, again, book }: Awaited<ReturnType<typeof lostPayment | typeof lostRefund>>,
): Promise<Outcome> {
  const row = { table: 'payment', id: paymentId } as const;
  if (order === 'its key first') return (await atOnce(row, again, book))[0];
  return (await atOnce(row, book, again))[1];
}

test.each(orders)('a lost payment is booked once, and its key gets it, %s', async (order) => {
  const lost = await lostPayment();
  expect(namesIn(await race(order, lost))).toContain(lost.paymentId);
  expect(await booksOf(lost.paymentId)).toMatchObject({ status: 'succeeded', ledger: [{}, {}] });
  expect(namesIn(await lost.again())).toContain(lost.paymentId);
});

test.each(orders)('a lost refund is booked once, and its key gets it, %s', async (order) => {
  const lost = await lostRefund();
  expect(namesIn(await race(order, lost))).toContain(lost.refundId);
  expect(await booksOf(lost.paymentId)).toMatchObject({
    ...{ refundedMinor: 500n, refunds: [{ status: 'succeeded' }] },
    // Both sides of the payment and of the refund.
    ledger: [{}, {}, {}, {}],
  });
  expect(namesIn(await lost.again())).toContain(lost.refundId);
});

/** The ids in its response, or in the refusal of a key that is over. */
function namesIn(outcome: Outcome): unknown[] {
  if (outcome.kind === 'refused') return [outcome.problem.extensions?.resourceId];
  const { paymentId, refundId } = bodyOf(outcome);
  return [paymentId, refundId];
}

test('a second operator who decides while the refund of the first completes waits for it, and neither is refused', async () => {
  const payCommand = command();
  const paymentId = String(bodyOf(await harness.pay(payCommand, newKey())).paymentId);
  const { providerIntentId } = await harness.db.payment.findFirstOrThrow({ where: { id: paymentId } });
  const about = { tenantId: harness.tenantId, paymentId, intentId: providerIntentId ?? '' };
  await openException(harness.db, { ...about, reason: 'order_cancelled' });
  const { id } = await harness.db.reconciliationException.findFirstOrThrow({ where: { paymentId } });
  const [sent, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const provider: PaymentProvider = {
    ...harness.provider,
    async createRefund(request) {
      sent.resolve();
      await goOn.promise;
      return harness.provider.createRefund(request);
    },
  };
  const first = refundException({ ...harness, provider }, harness.tenantId, id, { actor: 'operator:1' });
  await sent.promise;
  await atOnce(
    { table: 'reconciliation_exception', id },
    () => refundException(harness, harness.tenantId, id, { actor: 'operator:2' }),
    async () => goOn.resolve(),
  );
  expect(await first).toEqual({ kind: 'refunded' });
  expect(await harness.refundedAtProvider(payCommand.reference)).toBe(payCommand.amountMinor);
});
