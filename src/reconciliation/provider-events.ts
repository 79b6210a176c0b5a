import type { PaymentProvider } from '#payments/index.ts';
import type { Prisma, PrismaClient } from '#prisma';
import { followRefund } from './follow-refund.ts';
import { flagLateTruth } from './flag-exception.ts';
import { ProviderSilent } from './provider-trouble.ts';
import type { Reconciler } from './reconcile.ts';

export const providerEventTask = 'provider_event';

/** Before receipts and merchants' webhooks, whose priority is 0: the truth first, then those who are told of it. */
const priority = -10;
/** It says that something began, which nobody doubted. Asking the provider then would teach nothing, at full price. */
const saysNothing = 'payment_intent.created';

/** As long as the quick part of the schedule lasts: until then the poller asks often enough by itself. */
const soonMs = 60_000;

/** A webhook whose signature and age have been checked. */
export interface VerifiedEvent {
  readonly provider: 'stripe' | 'sandbox';
  readonly eventId: string;
  readonly type: string;
  readonly operationId: string | undefined;
  readonly payload: Prisma.InputJsonValue;
}

/**
 * Stored, with the job that will process it, before anybody says "received". A second delivery changes nothing. Whose it is
 * comes along, of a second one too, so that nobody has to ask for it.
 */
export async function receiveProviderEvent(
  db: PrismaClient,
  event: VerifiedEvent,
): Promise<{ readonly received: 'stored' | 'duplicate'; readonly tenantId: string | undefined }> {
  return db.$transaction(async (tx) => {
    const [row] = await tx.$queryRaw<{ id: string | null; tenant_id: string | null }[]>`
      WITH about AS (SELECT tenant_id FROM idempotency_record WHERE id = ${event.operationId ?? null}::uuid),
      stored AS (
        INSERT INTO provider_event (provider, event_id, type, operation_id, tenant_id, payload)
        VALUES (${event.provider}, ${event.eventId}, ${event.type}, ${event.operationId ?? null}::uuid,
          (SELECT tenant_id FROM about), ${JSON.stringify(event.payload)}::jsonb)
        ON CONFLICT (provider, event_id) DO NOTHING
        RETURNING id)
      SELECT (SELECT id FROM stored) AS id, (SELECT tenant_id FROM about) AS tenant_id`;
    if (row?.id) await enqueueProviderEvent(tx, row.id);
    return { received: row?.id ? 'stored' : 'duplicate', tenantId: row?.tenant_id ?? undefined };
  });
}

/** Also how an operator has an event processed again. */
export async function enqueueProviderEvent(tx: Prisma.TransactionClient, id: string): Promise<void> {
  await tx.$executeRaw`
    SELECT graphile_worker.add_job(
      ${providerEventTask}, ${JSON.stringify({ id })}::json, job_key => ${`provider_event:${id}`}, max_attempts => 25,
      priority => ${priority}::int)`;
}

/**
 * An event is a hint where to look, never the truth itself: it may be old, doubled or out of order. So it only makes
 * us ask the provider, and whatever is true now is what is written.
 *
 * Throws when the provider gave no word and nobody else will soon ask again: the job is kept and comes back, with growing
 * pauses, for nearly four days. The event stays `received` until then, where the backlog's gauge counts it.
 */
export async function processProviderEvent(
  parts: { readonly db: PrismaClient; readonly reconciler: Reconciler; readonly provider: PaymentProvider },
  id: string,
): Promise<void> {
  const event = await parts.db.providerEvent.findUniqueOrThrow({ where: { id } });
  const [status, outcome] = await handle(event.operationId, event.eventId, event.payload);
  await parts.db.$executeRaw`
    UPDATE provider_event SET status = ${status}, outcome = ${outcome}, processed_at = clock_timestamp()
    WHERE id = ${id}::uuid`;

  async function handle(
    operationId: string | null,
    eventId: string,
    payload: Prisma.JsonValue,
  ): Promise<['processed' | 'ignored', string]> {
    if (!operationId) return ['ignored', 'about nothing of ours'];
    if (event.type === saysNothing) return ['processed', 'nothing to learn'];
    const intentId = intentIdOf(payload);
    const superseded = intentId !== undefined && (await isSuperseded(parts.db, operationId, intentId));
    const found = await parts.reconciler.reconcile(operationId, `webhook:${eventId}`);
    if (found.kind === 'still_unknown' && found.noWord && !(await isLookDueSoon(parts.db, operationId))) {
      throw new ProviderSilent(found.code);
    }
    // What the operation has come to says nothing about an intent that it no longer goes by.
    const isOver = found.kind === 'nothing_to_do' || superseded;
    if (intentId && isOver && (await flagLateTruth(parts, operationId, intentId))) {
      return ['processed', 'late_truth'];
    }
    if (found.kind !== 'nothing_to_do') return ['processed', outcomeOf(found)];
    const followed = mayBeRefund(payload) ? await followRefund(parts, operationId) : undefined;
    return ['processed', followed ?? `nothing_to_do: ${found.status}`];
  }
}

/** The payment goes by another intent now. Where none is on record yet, this may well be the one. */
async function isSuperseded(db: PrismaClient, operationId: string, intentId: string): Promise<boolean> {
  return (await db.payment.count({ where: { operationId, providerIntentId: { not: intentId } } })) === 1;
}

/** An operation in the operators' queue has no look ahead of it, and late in the schedule the next may be a day away. */
async function isLookDueSoon(db: PrismaClient, operationId: string): Promise<boolean> {
  const [row] = await db.$queryRaw<{ soon: boolean }[]>`
    SELECT status <> 'unknown' OR coalesce(
      reconcile_after < clock_timestamp() + ${soonMs}::int * interval '1 millisecond', false) AS soon
    FROM idempotency_record WHERE id = ${operationId}::uuid`;
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
