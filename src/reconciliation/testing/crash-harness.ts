import { fork } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { expect } from 'vitest';
import type { Outcome } from '#idempotency/index.ts';
import { type CreatePayment, type CreateRefund, createInvestigators } from '#payments/index.ts';
import { bodyOf, command, newKey } from '#payments/testing/harness.ts';
import { assertLedgersAgree } from '#payments/testing/ledgers-agree.ts';
import { createPayer, type Doomed, type PayerSettings } from '#payments/testing/pay-and-die.ts';
import { childEnvironment } from '#run/testing/child-environment.ts';
import { createTestDatabase } from '#run/testing/database.ts';
import { startSandbox } from '#run/testing/sandbox.ts';
import { createReconciler } from '../reconcile.ts';

/** A process that stays alive, and others that are killed by SIGKILL on the way, on one database and one sandbox. */
export async function openCrashHarness() {
  const [database, sandbox] = await Promise.all([createTestDatabase({ template: 'app' }), startSandbox()]);
  const tenantId = randomUUID();
  const settings: PayerSettings = {
    databaseUrl: database.url,
    sandboxUrl: sandbox.url,
    secretKey: sandbox.secretKey,
    responseKey: randomBytes(32).toString('hex'),
    tenantId,
  };
  const healthy = createPayer(settings);
  const { db } = healthy;
  await db.organization.create({ data: { id: tenantId, name: 'Acme', slug: 'acme' } });
  const reconciler = createReconciler({ ...healthy, investigators: createInvestigators(healthy) });

  async function die(doomed: Doomed): Promise<void> {
    const child = fork(path.resolve('src/payments/testing/pay-and-die.ts'), {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { NODE_ENV: 'test', ...childEnvironment() },
    });
    child.send(doomed);
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  }

  async function payAndDie(dies: Doomed['dies']): Promise<{ command: CreatePayment; key: string }> {
    const [payment, key] = [command(), newKey()];
    await die({ settings, key, dies, payment });
    return { command: payment, key };
  }

  async function refundAndDie(dies: Doomed['dies']) {
    const payment = command();
    const paid = bodyOf(await healthy.pay(payment, newKey()));
    const refund: CreateRefund = {
      paymentId: String(paid.paymentId),
      reference: 'return-1',
      amountMinor: 500,
    };
    const key = newKey();
    await die({ settings, key, dies, refund });
    return { command: refund, key, reference: payment.reference };
  }

  const findRecord = (key: string) => db.idempotencyRecord.findFirst({ where: { tenantId, key } });

  async function letLeaseRunOut(key: string): Promise<string> {
    const record = await findRecord(key);
    if (!record) throw new Error('the record is gone');
    await db.$executeRaw`
      UPDATE idempotency_record SET lease_until = clock_timestamp() - interval '1 second'
      WHERE tenant_id = ${record.tenantId} AND id = ${record.id}::uuid`;
    return record.id;
  }

  /** The statuses that the expired lease led to, from the events. */
  async function expiredInto(operationId: string): Promise<string[]> {
    const events = await db.idempotencyEvent.findMany({
      where: { tenantId, recordId: operationId, cause: 'lease_expired' },
    });
    return events.map((event) => event.toStatus);
  }

  async function close(): Promise<void> {
    try {
      await assertLedgersAgree(db, sandbox.url, tenantId);
    } finally {
      await db.$disconnect();
      await Promise.all([database.drop(), sandbox.stop()]);
    }
  }

  const refOf = (id: string) => ({ tenantId, id });
  const killed = { payAndDie, refundAndDie, findRecord, letLeaseRunOut, expiredInto };
  return { tenantId, sandbox, healthy, reconciler, refOf, ...killed, close };
}

export type CrashHarness = Awaited<ReturnType<typeof openCrashHarness>>;

export const codeOf = (outcome: Outcome) =>
  outcome.kind === 'refused' ? outcome.problem.spec.code : outcome.kind;

/** On one side of a commit, or on the other. */
export const shortOf = (recoveryPoint: string) => ({ recoveryPoint, side: 'before' }) as const;
export const past = (recoveryPoint: string) => ({ recoveryPoint, side: 'after' }) as const;
