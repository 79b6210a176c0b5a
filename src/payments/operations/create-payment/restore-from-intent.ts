import type { OperationRef } from '#idempotency/index.ts';
import type { NoEvidence } from '#payments/event-follower.ts';
import { openException } from '#payments/exceptions/open-exception.ts';
import { findPaymentByOperation } from '#payments/payment-rows.ts';
import type { Intent, ListedObject, PaymentProvider } from '#payments/provider.ts';
import type { PrismaClient } from '#prisma';
import type { KindParts } from '../operation-kind.ts';
import { type NextTry, restorePayment } from './restore-payment.ts';

/** An intent in these states can still charge, and can be cancelled. */
const cancellable = new Set<Intent['state']>(['created', 'requires_action', 'declined']);

/**
 * Brings the payment of a listed intent up to date, where our database has lost what was committed last: the whole payment, or
 * that it has this intent. Its own key then finds the intent as it is, and makes no other. A payment of a later generation, or
 * one that is final, is left as it is. If the intent took money and nothing of ours expects it, an operator is shown it.
 *
 * An intent that could still charge is cancelled: the commit ahead of its confirm may be what was lost, so that a confirm may be
 * on its way while the reference is free for any other key.
 */
export async function restoreFromIntent(
  parts: KindParts,
  operation: OperationRef,
  listed: Intent,
): Promise<NoEvidence | undefined> {
  const { tenantId, id: operationId } = operation;
  if (!(await isLost(parts.db, operation, listed))) return undefined;
  const intent = await cancelIfOpen(parts.provider, operation, listed);
  if ('kind' in intent) return intent;
  const isOver = intent.state === 'canceled' && !intent.declineCode;
  const next: NextTry = isOver
    ? { generation: intent.generation + 1, providerIntentId: null }
    : { generation: intent.generation, providerIntentId: intent.id };
  await parts.db.$transaction(async (tx) => {
    const restored =
      (await tx.$executeRaw`
        UPDATE payment SET provider_intent_id = ${next.providerIntentId}, generation = ${next.generation}::int
        WHERE tenant_id = ${tenantId} AND operation_id = ${operationId}::uuid AND status IN ('pending', 'released')
          AND (generation < ${next.generation}::int
            OR generation = ${next.generation}::int AND provider_intent_id IS NULL)
          AND NOT EXISTS (
            SELECT FROM payment other WHERE other.tenant_id = ${tenantId}
              AND other.provider_intent_id = ${next.providerIntentId} AND other.operation_id <> ${operationId}::uuid)`) ===
      1;
    const payment = restored
      ? await findPaymentByOperation(tx, operation)
      : await restorePayment(tx, operation, intent, next);
    if (payment?.status !== 'released' || payment.providerIntentId !== intent.id) return;
    if (intent.state !== 'succeeded') return;
    await openException(tx, { tenantId, paymentId: payment.id, intentId: intent.id, reason: 'record_lost' });
  });
  return undefined;
}

/**
 * Whether our rows lack that the intent may have been confirmed. They have it if the payment is final, or if its operation waits
 * for the outcome; then it is reconciled like any other. Another deployment may use the same account: its tenants are not ours.
 */
async function isLost(
  db: PrismaClient,
  { tenantId, id: operationId }: OperationRef,
  { id: intentId }: Intent,
): Promise<boolean> {
  const rows = await db.$queryRaw<unknown[]>`
    SELECT FROM organization WHERE id = ${tenantId} AND NOT EXISTS (
      SELECT FROM payment p LEFT JOIN operation o ON o.tenant_id = p.tenant_id AND o.id = p.operation_id
      WHERE p.tenant_id = ${tenantId} AND p.operation_id = ${operationId}::uuid AND p.provider_intent_id = ${intentId}
        AND (p.status IN ('succeeded', 'declined') OR p.status = 'pending' AND o.effect_sent))`;
  return rows.length === 1;
}

/** The intent as it is afterwards: the response to a cancel that comes too late contains its state. */
async function cancelIfOpen(
  provider: PaymentProvider,
  { tenantId, id: operationId }: OperationRef,
  intent: Intent,
): Promise<Intent | NoEvidence> {
  if (!cancellable.has(intent.state)) return intent;
  const result = await provider.cancelIntent(intent.id, { tenantId, operationId });
  if (result.kind !== 'responded') return { kind: 'no_evidence', code: result.code };
  return { ...result.intent, declineCode: result.intent.declineCode ?? intent.declineCode };
}

/**
 * Intents from before the gap that an attempt in the gap may have confirmed: each was kept when its confirm was not executed, and
 * its key could be tried again. Those that were made in the gap are listed by the provider.
 */
export async function listKeptIntents(
  { db, provider }: KindParts,
  before: Date,
): Promise<ListedObject[] | NoEvidence> {
  const kept = await db.$queryRaw<{ tenant_id: string; operation_id: string; intent_id: string }[]>`
    SELECT p.tenant_id, p.operation_id, p.provider_intent_id AS intent_id
    FROM operation o JOIN payment p ON p.tenant_id = o.tenant_id AND p.operation_id = o.id
    WHERE o.status IN ('failed_retryable', 'in_progress') AND NOT o.effect_sent AND p.created_at < ${before}
      AND p.status IN ('pending', 'released') AND p.provider_intent_id IS NOT NULL`;
  const listed: ListedObject[] = [];
  for (const { tenant_id: tenantId, operation_id: operationId, intent_id: id } of kept) {
    const result = await provider.retrieveIntent(id, { tenantId, operationId });
    if (result.kind !== 'responded' && result.code === 'resource_missing') continue;
    if (result.kind !== 'responded') return { kind: 'no_evidence', code: result.code };
    const { intent } = result;
    const operation = { tenantId, id: operationId };
    listed.push({ operation, object: 'payment_intent', id, intentId: id, state: intent.state, intent });
  }
  return listed;
}
