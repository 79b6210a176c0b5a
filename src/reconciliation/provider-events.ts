import type { OperationRef } from '#idempotency/index.ts';
import type { PaymentProvider } from '#payments/index.ts';
import type { Prisma, PrismaClient } from '#prisma';
import { addJob } from '#queue/index.ts';
import { flagException } from './flag-exception.ts';
import { followRefund } from './follow-refund.ts';
import { ProviderUnresponsive } from './provider-trouble.ts';
import type { Reconciler } from './reconcile.ts';

export const providerEventTask = 'provider_event';

/** Before receipts and merchants' webhooks, whose priority is 0. */
const priority = -10;
/** This event is no evidence: we created the intent ourselves. It is stored without asking the provider. */
const uninformativeType = 'payment_intent.created';

/** As long as the quick part of the schedule lasts: until then the poller asks often enough by itself. */
const soonMs = 60_000;

/** A webhook whose signature and age have been checked. */
export interface VerifiedEvent {
  readonly provider: 'stripe' | 'sandbox';
  readonly eventId: string;
  readonly type: string;
  /** From our own metadata on the provider's object; undefined when there is none. */
  readonly operation: OperationRef | undefined;
  readonly payload: Prisma.InputJsonValue;
}

/** Stores the event and the job that processes it, before the webhook is acknowledged. A second delivery changes nothing. */
export async function receiveProviderEvent(
  db: PrismaClient,
  event: VerifiedEvent,
): Promise<'stored' | 'duplicate'> {
  const { tenantId = null, id: operationId = null } = event.operation ?? {};
  return db.$transaction(async (tx) => {
    const [stored] = await tx.$queryRaw<{ id: string }[]>`
      INSERT INTO provider_event (provider, event_id, type, operation_id, tenant_id, payload)
      VALUES (${event.provider}, ${event.eventId}, ${event.type}, ${operationId}::uuid, ${tenantId},
        ${JSON.stringify(event.payload)}::jsonb)
      ON CONFLICT (provider, event_id) DO NOTHING
      RETURNING id`;
    if (stored) await enqueueProviderEvent(tx, stored.id);
    return stored ? 'stored' : 'duplicate';
  });
}

/** Also how an operator has an event processed again. */
export async function enqueueProviderEvent(tx: Prisma.TransactionClient, id: string): Promise<void> {
  await addJob(tx, { task: providerEventTask, payload: { id }, key: `provider_event:${id}`, priority });
}

/**
 * An event is a hint, never evidence: it may be old, duplicated or out of order. So it only makes us ask the provider, and
 * the provider's state now is what is written.
 *
 * Throws when the provider gave no definitive response and no check is due soon: the job is tried again, with growing
 * pauses, for nearly four days. The event stays `received` until then, where the backlog's gauge counts it.
 */
export async function processProviderEvent(
  parts: { readonly db: PrismaClient; readonly reconciler: Reconciler; readonly provider: PaymentProvider },
  id: string,
): Promise<void> {
  const event = await parts.db.providerEvent.findUniqueOrThrow({ where: { id } });
  const [status, outcome] = await handle(operationOf(event), event.eventId, event.payload);
  await parts.db.$executeRaw`
    UPDATE provider_event SET status = ${status}, outcome = ${outcome}, processed_at = clock_timestamp()
    WHERE id = ${id}::uuid`;

  async function handle(
    operation: OperationRef | undefined,
    eventId: string,
    payload: Prisma.JsonValue,
  ): Promise<['processed' | 'ignored', string]> {
    if (!operation) return ['ignored', 'about nothing of ours'];
    if (event.type === uninformativeType) return ['processed', 'nothing to learn'];
    const intentId = intentIdOf(payload);
    const superseded = intentId !== undefined && (await isSuperseded(parts.db, operation, intentId));
    const found = await parts.reconciler.reconcile(operation, `webhook:${eventId}`);
    if (found.kind === 'still_unknown' && found.noEvidence && !(await isCheckDueSoon(parts.db, operation))) {
      throw new ProviderUnresponsive(found.code);
    }
    // The operation's outcome says nothing about an intent that the payment no longer uses.
    const isOver = found.kind === 'nothing_to_do' || superseded;
    if (intentId && isOver && (await flagException(parts, operation, intentId))) {
      return ['processed', 'exception'];
    }
    if (found.kind !== 'nothing_to_do') return ['processed', outcomeOf(found)];
    const followed = mayBeRefund(payload) ? await followRefund(parts, operation) : undefined;
    return ['processed', followed ?? `nothing_to_do: ${found.status}`];
  }
}

function operationOf(event: {
  tenantId: string | null;
  operationId: string | null;
}): OperationRef | undefined {
  const { tenantId, operationId } = event;
  return tenantId !== null && operationId !== null ? { tenantId, id: operationId } : undefined;
}

/** The payment uses another intent now. Where none is recorded yet, this may be the one. */
async function isSuperseded(
  db: PrismaClient,
  { tenantId, id: operationId }: OperationRef,
  intentId: string,
): Promise<boolean> {
  const where = { tenantId, operationId, providerIntentId: { not: intentId } };
  return (await db.payment.count({ where })) === 1;
}

/** An escalated operation has no check ahead of it, and late in the schedule the next one may be a day away. */
async function isCheckDueSoon(db: PrismaClient, { tenantId, id }: OperationRef): Promise<boolean> {
  const [row] = await db.$queryRaw<{ soon: boolean }[]>`
    SELECT status <> 'unknown' OR coalesce(
      next_check_at < clock_timestamp() + ${soonMs}::int * interval '1 millisecond', false) AS soon
    FROM operation WHERE tenant_id = ${tenantId} AND id = ${id}::uuid`;
  return row?.soon ?? true;
}

function outcomeOf(found: { kind: string; cause?: string; code?: string }): string {
  return `${found.kind}: ${found.cause ?? found.code}`;
}

/** What the event is about. Undefined: its payload is no longer kept. */
function objectOf(payload: unknown): Record<string, unknown> | undefined {
  return (payload as { data?: { object?: Record<string, unknown> } } | null)?.data?.object;
}

/** Most events are about payments, and there is nothing to follow in those. */
function mayBeRefund(payload: unknown): boolean {
  const object = objectOf(payload);
  return object === undefined || object.object === 'refund';
}

/** Events are about an intent, or about a charge or refund that names one. */
function intentIdOf(payload: unknown): string | undefined {
  const object = objectOf(payload);
  const id = object?.object === 'payment_intent' ? object.id : object?.payment_intent;
  return typeof id === 'string' ? id : undefined;
}
