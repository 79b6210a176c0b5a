import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Prisma } from '#prisma';
import type { PaymentProvider } from '../../provider.ts';
import { bodyOf, command, newKey, openPaymentHarness, type PaymentHarness } from '../../testing/harness.ts';
import { runOperation } from '../run-operation.ts';
import { completeRefund, failRefund, releaseRefund } from './complete-refund.ts';
import { createRefundKind } from './kind.ts';
import { findRefundByOperation, type Refund } from './refund.ts';

// A refund and another one with the same reference write the payment, the refund and the entries that refer to the payment. Where
// they meet, one waits for the other, and never both: a deadlock made one of them unknown, or an error.
let harness: PaymentHarness;
beforeAll(async () => {
  harness = await openPaymentHarness();
});
afterAll(() => harness.close());

async function pay(): Promise<string> {
  return String(bodyOf(await harness.pay(command(), newKey())).paymentId);
}

async function refund(paymentId: string, over?: Partial<PaymentProvider>): Promise<Refund> {
  const parts = { engine: harness.engine, provider: { ...harness.provider, ...over } };
  const caller = { tenantId: harness.tenantId, principal: 'tester', keyHeader: newKey() };
  const input = { paymentId, reference: 'return-1', amountMinor: 500 };
  const { operationId = '' } = await runOperation(parts, createRefundKind, caller, input);
  const made = await findRefundByOperation(harness.db, harness.refOf(operationId));
  if (!made) throw new Error('There is no refund.');
  return made;
}

/** Nothing is known of it, so it is pending. */
const withoutResponse = {
  createRefund: async () => ({ kind: 'ambiguous', code: 'provider_timeout' }) as const,
};

/** Holds the payment's row while `act` runs. */
async function whileLocked<T>(paymentId: string, strength: 'KEY SHARE' | 'NO KEY UPDATE', act: () => T) {
  return harness.db.$transaction(
    async (tx) => {
      await tx.$executeRawUnsafe(
        `SELECT FROM payment WHERE tenant_id = $1 AND id = $2::uuid FOR ${strength}`,
        ...[harness.tenantId, paymentId],
      );
      return act();
    },
    { timeout: 30_000 },
  );
}

test('a refund is reserved while another one writes entries that refer to the payment', async () => {
  const paymentId = await pay();
  const made = await whileLocked(paymentId, 'KEY SHARE', () => refund(paymentId));
  expect(made).toMatchObject({ status: 'succeeded' });
});

type End = (tx: Prisma.TransactionClient, refund: Refund) => Promise<unknown>;

test.each<[string, { over?: Partial<PaymentProvider>; end: End }]>([
  ['returned by the bank', { end: failRefund }],
  [
    'completed',
    { over: withoutResponse, end: (tx, made) => completeRefund(tx, made, undefined, 'evidence') },
  ],
  [
    'released',
    {
      over: withoutResponse,
      end: (tx, { operationId }) => releaseRefund(tx, harness.refOf(operationId), 'kept'),
    },
  ],
])('a refund that is %s waits for the payment before it locks the refund', async (_, { over, end }) => {
  const made = await refund(await pay(), over);
  const undo = new Error('Both ledgers stay as they are.');
  let ending: Promise<unknown> | undefined;
  await whileLocked(made.payment.id, 'NO KEY UPDATE', async () => {
    ending = harness.db
      .$transaction(async (tx) => {
        await end(tx, made);
        throw undo;
      })
      .catch((error) => error);
    await expect.poll(harness.countWaiting).toBe(1);
    await harness.db.$queryRaw`SELECT FROM refund WHERE id = ${made.id}::uuid FOR UPDATE NOWAIT`;
  });
  expect(await ending).toBe(undo);
});
