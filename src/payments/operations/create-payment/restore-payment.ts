import type { OperationRef } from '#idempotency/index.ts';
import type { NoEvidence } from '#payments/event-follower.ts';
import { openException } from '#payments/exceptions/open-exception.ts';
import { isCurrency } from '#payments/money.ts';
import type { Payment } from '#payments/payment.ts';
import { findPaymentByOperation, isOwnTenant, paymentIdOf, paymentOf } from '#payments/payment-rows.ts';
import type { Intent } from '#payments/provider.ts';
import type { Prisma } from '#prisma';
import type { KindParts } from '../operation-kind.ts';

type Tx = Prisma.TransactionClient;

/** What the next attempt begins with: the intent that there is, or none of the next generation. */
export interface NextTry {
  readonly generation: number;
  readonly providerIntentId: string | null;
}

/**
 * A payment that the provider knows and our database does not: a promoted standby never got it, or a backup from before it
 * was restored. It is written again as released, with the intent that our metadata is on: it is not booked, and its own key
 * may try again and then finds the intent as it is. Undefined: the intent is not one of ours.
 */
export async function restorePayment(
  tx: Tx,
  operation: OperationRef,
  intent: Intent,
  next: NextTry = { generation: intent.generation, providerIntentId: intent.id },
): Promise<Payment | undefined> {
  const { tenantId, id: operationId } = operation;
  const { amountMinor, currency, reference, paymentMethod } = intent;
  if (!reference || !paymentMethod || !isCurrency(currency)) return undefined;
  if (!(await isOwnTenant(tx, tenantId))) return undefined;
  await tx.payment.createMany({
    data: [
      {
        ...{ tenantId, id: paymentIdOf(operation), operationId, status: 'released' },
        ...{ amountMinor, currency, reference, paymentMethod, ...next },
      },
    ],
    skipDuplicates: true,
  });
  return findPaymentByOperation(tx, operation);
}

/** Whether the intent itself says that it was made for the operation: an event is no evidence, and may name any other. */
export function isOf({ tenantId, id }: OperationRef, intent: Intent): boolean {
  return intent.operationId === id && intent.tenantId === tenantId;
}

/** The provider's refusal or silence, or nothing if the intent is not one of ours, or took no money. */
type NotRestored = NoEvidence | undefined;

/**
 * Writes a lost payment again, from the intent that has our metadata, and shows it to an operator. Undefined also if it is
 * there: it was not lost. What a signed event says was paid is not taken for unpaid because a read denies it.
 */
export async function restoreLostPayment(
  { db, provider }: KindParts,
  operation: OperationRef,
  intentId: string,
  isAnnouncedAsPaid = false,
): Promise<Payment | NotRestored> {
  const of = { tenantId: operation.tenantId, operationId: operation.id };
  const result = await provider.retrieveIntent(intentId, of);
  if (result.kind !== 'responded') {
    const isEvidence = result.code === 'resource_missing' && !isAnnouncedAsPaid;
    return isEvidence ? undefined : { kind: 'no_evidence', code: result.code };
  }
  const { intent } = result;
  if (!isOf(operation, intent)) return undefined;
  if (intent.state !== 'succeeded') {
    return isAnnouncedAsPaid ? { kind: 'no_evidence', code: 'contradictory' } : undefined;
  }
  return db.$transaction(async (tx) => {
    const payment = await restorePayment(tx, operation, intent);
    if (payment?.status !== 'released') return undefined;
    const { tenantId, id: paymentId } = payment;
    await openException(tx, { tenantId, paymentId, intentId, reason: 'record_lost' });
    return payment;
  });
}

/** The payment of an intent, for what is found at the provider before its payment is. */
export async function findOrRestorePayment(
  parts: KindParts,
  tenantId: string,
  intentId: string,
): Promise<Payment | NotRestored> {
  const row = await parts.db.payment.findFirst({ where: { tenantId, providerIntentId: intentId } });
  if (row) return paymentOf(row);
  const result = await parts.provider.retrieveIntent(intentId);
  if (result.kind !== 'responded') {
    return result.code === 'resource_missing' ? undefined : { kind: 'no_evidence', code: result.code };
  }
  const { operationId } = result.intent;
  return operationId ? restoreLostPayment(parts, { tenantId, id: operationId }, intentId) : undefined;
}
