import { randomUUID } from 'node:crypto';
import type { OperationRef } from '#idempotency/index.ts';
import type { PrismaClient } from '#prisma';

/** A running operation with its payment, as the engine and the payment's first phase leave them. */
export async function runningPayment(
  db: PrismaClient,
  tenantId: string,
  over: { readonly amountMinor?: number; readonly currency?: string; readonly reference?: string } = {},
) {
  const record = await db.idempotencyRecord.create({
    data: {
      tenantId,
      operation: 'payment.create',
      key: randomUUID(),
      fingerprint: 'f',
      fingerprintVersion: 1,
      principal: 'p',
      status: 'in_progress',
      leaseUntil: new Date(Date.now() + 60_000),
      recoveryPoint: 'confirm_sent',
      effectSent: true,
      transitionActor: 'test',
      transitionCause: 'claimed',
    },
  });
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

/** Very many at once: running payments whose references are numbers with a prefix, in order, and one a second. */
export async function manyRunningPayments(
  db: PrismaClient,
  tenantId: string,
  prefix: string,
  count: number,
): Promise<void> {
  await db.$executeRaw`
    WITH record AS (
      INSERT INTO idempotency_record (tenant_id, operation, key, fingerprint, fingerprint_version, principal, status,
        lease_until, recovery_point, effect_sent, transition_actor, transition_cause, created_at)
      SELECT ${tenantId}, 'payment.create', ${prefix} || lpad(n::text, 12, '0'), 'f', 1, 'p', 'in_progress',
        now() + interval '1 minute', 'confirm_sent', true, 'test', 'claimed', now() - (${count} - n) * interval '1 second'
      FROM generate_series(1, ${count}::int) AS n
      RETURNING id, key)
    INSERT INTO payment (id, tenant_id, operation_id, reference, amount_minor, currency, payment_method, receipt_email, status)
    SELECT id, ${tenantId}, id, key, 1000, 'eur', 'pm_card_visa', 'often@example.com', 'pending' FROM record`;
}

/** The provider's response was lost. */
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
      transitionCause: 'provider_timeout',
      ...(escalated && { escalatedAt: new Date(), nextCheckAt: null }),
    },
  });
}

/** Proven not to have happened; the key may be used again. */
export async function releaseOperation(db: PrismaClient, { tenantId, id }: OperationRef): Promise<void> {
  await db.idempotencyRecord.update({
    where: { tenantId_id: { tenantId, id } },
    data: { status: 'failed_retryable', effectSent: false, nextCheckAt: null, transitionCause: 'canceled' },
  });
}

export async function createShop(db: PrismaClient, id: string): Promise<string> {
  await db.organization.create({ data: { id, name: id, slug: id } });
  return id;
}
