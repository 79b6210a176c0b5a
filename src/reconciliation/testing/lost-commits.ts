import { createPrismaDriver } from '#idempotency/stores/prisma.ts';
import { createEventFollower, createInvestigators, type PaymentProvider } from '#payments/index.ts';
import type { PaymentHarness } from '#payments/testing/harness.ts';
import { compareIfReplaced } from '../compare-provider.ts';
import { createEventReceiver } from '../receive-events.ts';
import { createReconciler, type Reconciler } from '../reconcile.ts';

export function reconcilerOf(
  parts: Omit<PaymentHarness, 'provider'> & { provider: PaymentProvider },
): Reconciler {
  return createReconciler({ ...parts, investigators: createInvestigators(parts) });
}

/** What the worker does every other second. */
export function compareWith(harness: PaymentHarness, provider: PaymentProvider = harness.provider) {
  const parts = { ...harness, provider };
  return compareIfReplaced({
    ...parts,
    reconciler: reconcilerOf(parts),
    follower: createEventFollower(parts),
    receiveEvent: createEventReceiver(createPrismaDriver(harness.db)),
    settings: { provider: 'sandbox' },
  });
}

/** The rows of an operation as they were at an earlier moment, or none, under another identity of the database. */
export async function loseCommits(
  harness: PaymentHarness,
  operationId: string,
  to: readonly string[] = [],
): Promise<void> {
  const ofPayment = '(SELECT id FROM payment WHERE tenant_id = $1 AND operation_id = $2::uuid)';
  const ofRefund = '(SELECT id FROM refund WHERE tenant_id = $1 AND operation_id = $2::uuid)';
  const nothing = [
    `UPDATE payment SET refunded_minor = 0 WHERE tenant_id = $1 AND id IN (
      SELECT payment_id FROM refund WHERE tenant_id = $1 AND operation_id = $2::uuid)`,
    'DELETE FROM refund WHERE tenant_id = $1 AND operation_id = $2::uuid',
    'DELETE FROM payment WHERE tenant_id = $1 AND operation_id = $2::uuid',
    'DELETE FROM idempotency_event WHERE tenant_id = $1 AND record_id = $2::uuid',
    'DELETE FROM idempotency_record WHERE tenant_id = $1 AND id = $2::uuid',
  ];
  await harness.db.$transaction(async (tx) => {
    await tx.$executeRawUnsafe('SET LOCAL session_replication_role = replica');
    for (const sql of [
      `DELETE FROM outbox_event WHERE tenant_id = $1 AND (source_id IN ${ofRefund} OR payment_id IN ${ofPayment})`,
      `DELETE FROM ledger_entry WHERE tenant_id = $1 AND (source_id IN ${ofRefund} OR payment_id IN ${ofPayment})`,
      ...(to.length > 0 ? to : nothing),
    ]) {
      await tx.$executeRawUnsafe(sql, harness.tenantId, operationId);
    }
    await tx.$executeRaw`DELETE FROM database_history WHERE identity = 'the old primary'`;
    await tx.$executeRaw`UPDATE database_history SET identity = 'the old primary'`;
  });
  await harness.sandbox.forgetKeys();
}
