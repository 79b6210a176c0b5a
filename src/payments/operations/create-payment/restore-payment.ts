import type { OperationRef } from '#idempotency/index.ts';
import { openException } from '#payments/exceptions/open-exception.ts';
import { isCurrency } from '#payments/money.ts';
import type { Payment } from '#payments/payment.ts';
import { findPaymentByOperation, paymentIdOf, paymentOf } from '#payments/payment-rows.ts';
import type { Intent } from '#payments/provider.ts';
import type { Prisma } from '#prisma';
import type { KindParts } from '../operation-kind.ts';

type Tx = Prisma.TransactionClient;

/**
 * A payment that the provider knows and our database does not: a promoted standby never got it, or a backup from before it
 * was restored. It is written again as released, with the intent that our metadata is on: it is not booked, and its own key
 * may try again and then finds the intent as it is. Undefined: the intent is not one of ours.
 */
async function restorePayment(
  tx: Tx,
  operation: { readonly tenantId: string; readonly id: string },
  intent: Intent,
): Promise<Payment | undefined> {
  const { tenantId, id: operationId } = operation;
  const { amountMinor, currency, reference, paymentMethod, generation } = intent;
  if (!reference || !paymentMethod || !isCurrency(currency)) return undefined;
  if ((await tx.organization.count({ where: { id: tenantId } })) === 0) return undefined;
  await tx.payment.createMany({
    data: [
      {
        ...{ tenantId, id: paymentIdOf(operation), operationId, status: 'released' },
        ...{ amountMinor, currency, reference, paymentMethod, generation, providerIntentId: intent.id },
      },
    ],
    skipDuplicates: true,
  });
  return findPaymentByOperation(tx, operation);
}

/** The provider's refusal or silence, or nothing if the intent is not one of ours, or took no money. */
type NotRestored = { readonly kind: 'no_evidence'; readonly code: string } | undefined;

/**
 * Writes a lost payment again, from the intent that has our metadata, and shows it to an operator. Undefined also if it is
 * there: it was not lost.
 */
export async function restoreLostPayment(
  { db, provider }: KindParts,
  operation: OperationRef,
  intentId: string,
): Promise<Payment | NotRestored> {
  const of = { tenantId: operation.tenantId, operationId: operation.id };
  const result = await provider.retrieveIntent(intentId, of);
  if (result.kind !== 'responded') {
    return result.code === 'resource_missing' ? undefined : { kind: 'no_evidence', code: result.code };
  }
  const { intent } = result;
  if (intent.state !== 'succeeded' || intent.operationId !== operation.id) return undefined;
  return db.$transaction(async (tx) => {
    const payment = await restorePayment(tx, operation, intent);
    if (payment?.status !== 'released') return undefined;
    const { tenantId, id: paymentId } = payment;
    await openException(tx, { tenantId, paymentId, intentId, reason: 'record_lost' });
    return payment;
  });
}

/**
 * Brings the payment of a listed intent up to date, where our database has lost what was committed last: the whole payment, or
 * that it has this intent. Its own key then finds the intent as it is, and makes no other. A payment of a later generation, or
 * one that is final, is left as it is. If the intent took money and nothing of ours expects it, an operator is shown it.
 */
export async function restoreFromIntent(
  { db }: Pick<KindParts, 'db'>,
  operation: OperationRef,
  intent: Intent,
): Promise<void> {
  const { id: intentId, generation } = intent;
  const { tenantId, id: operationId } = operation;
  await db.$transaction(async (tx) => {
    const restored =
      (await tx.$executeRaw`
        UPDATE payment SET provider_intent_id = ${intentId}, generation = ${generation}::int
        WHERE tenant_id = ${tenantId} AND operation_id = ${operationId}::uuid AND status IN ('pending', 'released')
          AND (generation < ${generation}::int OR generation = ${generation}::int AND provider_intent_id IS NULL)`) ===
      1;
    const payment = restored
      ? await findPaymentByOperation(tx, operation)
      : await restorePayment(tx, operation, intent);
    if (payment?.status !== 'released' || payment.providerIntentId !== intentId) return;
    if (intent.state !== 'succeeded') return;
    await openException(tx, { tenantId, paymentId: payment.id, intentId, reason: 'record_lost' });
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
