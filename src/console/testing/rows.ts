import { randomUUID } from 'node:crypto';
import type { OperationRef } from '#idempotency/index.ts';
import type { OperationName } from '#payments/operations/copy.ts';
import type { PrismaClient } from '#prisma';

/** A running operation with its payment, as the engine and the payment's first phase leave them. */
export async function runningPayment(
  db: PrismaClient,
  tenantId: string,
  over: { readonly amountMinor?: number; readonly currency?: string; readonly reference?: string } = {},
) {
  const record = await runningRecord(db, tenantId, 'payment.create', 'confirm_sent');
  const { amountMinor = 1_000, currency = 'eur', reference = randomUUID() } = over;
  const payment = await db.payment.create({
    data: {
      id: randomUUID(),
      tenantId,
      operationId: record.id,
      reference,
      amountMinor,
      currency,
      paymentMethod: 'pm_card_visa',
      status: 'pending',
    },
  });
  return { tenantId, id: record.id, key: record.key, paymentId: payment.id, reference };
}

/** A refund that succeeded, and that the bank returned afterwards: its operation stays completed. */
export async function returnedRefund(
  db: PrismaClient,
  { tenantId, paymentId }: { readonly tenantId: string; readonly paymentId: string },
  amountMinor: number,
): Promise<OperationRef> {
  const { id } = await runningRecord(db, tenantId, 'refund.create', 'refund_sent');
  const now = new Date();
  const response = { responseStatus: 201, bodyPurgedAt: now };
  await db.idempotencyRecord.update({
    where: { tenantId_id: { tenantId, id } },
    data: { ...response, status: 'completed', leaseUntil: null, completedAt: now, recoveryPoint: 'finished' },
  });
  const ids = { id: randomUUID(), tenantId, paymentId, operationId: id, providerRefundId: 're_returned' };
  const times = { completedAt: now, failedAt: now };
  await db.refund.create({ data: { ...ids, ...times, reference: id, amountMinor, status: 'failed' } });
  return { tenantId, id };
}

function runningRecord(db: PrismaClient, tenantId: string, operation: OperationName, recoveryPoint: string) {
  return db.idempotencyRecord.create({
    data: {
      id: randomUUID(),
      tenantId,
      operation,
      key: randomUUID(),
      fingerprint: 'f',
      fingerprintVersion: 1,
      principal: 'p',
      status: 'in_progress',
      leaseUntil: new Date(Date.now() + 60_000),
      recoveryPoint,
      effectSent: true,
      transitionActor: 'test',
      transitionCause: 'claimed',
    },
  });
}

/** Many running payments in one statement, a second apart; their references are a prefix and a number. */
export async function manyRunningPayments(
  db: PrismaClient,
  tenantId: string,
  prefix: string,
  count: number,
): Promise<void> {
  await db.$executeRaw`
    WITH record AS (
      INSERT INTO idempotency_record (id, tenant_id, operation, key, fingerprint, fingerprint_version, principal, status,
        lease_until, recovery_point, effect_sent, transition_actor, transition_cause, created_at)
      SELECT gen_random_uuid(), ${tenantId}, 'payment.create', ${prefix} || lpad(n::text, 12, '0'), 'f', 1, 'p', 'in_progress',
        now() + interval '1 minute', 'confirm_sent', true, 'test', 'claimed', now() - (${count} - n) * interval '1 second'
      FROM generate_series(1, ${count}::int) AS n
      RETURNING id, key)
    INSERT INTO payment (id, tenant_id, operation_id, reference, amount_minor, currency, payment_method, receipt_email, status)
    SELECT id, ${tenantId}, id, key, 1000, 'eur', 'pm_card_visa', 'often@example.com', 'pending' FROM record`;
}

/** As if the provider had not responded in time. */
export async function becomeUnknown(
  db: PrismaClient,
  { tenantId, id }: OperationRef,
  escalated = false,
): Promise<void> {
  await db.idempotencyRecord.update({
    where: { tenantId_id: { tenantId, id } },
    data: {
      status: 'unknown',
      leaseUntil: null,
      lastErrorCode: 'provider_timeout',
      nextCheckAt: new Date(Date.now() - 5_000),
      updatedAt: new Date(),
      unknownSince: new Date(),
      transitionCause: 'provider_timeout',
      ...(escalated && { escalatedAt: new Date(), nextCheckAt: null }),
    },
  });
}

/** Nothing happened at the provider, and the key may be used again. */
export async function releaseOperation(db: PrismaClient, { tenantId, id }: OperationRef): Promise<void> {
  await db.idempotencyRecord.update({
    where: { tenantId_id: { tenantId, id } },
    data: {
      status: 'failed_retryable',
      effectSent: false,
      nextCheckAt: null,
      resolvedAt: new Date(),
      transitionCause: 'canceled',
    },
  });
}

export async function createShop(db: PrismaClient, id: string): Promise<string> {
  await db.organization.create({ data: { id, name: id, slug: id } });
  return id;
}
