import type { OperationRef } from '#idempotency/index.ts';
import { type EventFollower, type ProviderEvent, readStripeEvent } from '#payments/index.ts';
import type { Prisma, PrismaClient } from '#prisma';
import { addJob } from '#queue/index.ts';
import { ProviderUnresponsive } from './provider-trouble.ts';
import type { Reconciled, Reconciler } from './reconcile.ts';

export const providerEventTask = 'provider_event';

/** Before receipts and merchants' webhooks, whose priority is 0. */
const priority = -10;

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
  parts: {
    readonly db: PrismaClient;
    readonly reconciler: Reconciler;
    readonly followers: readonly EventFollower[];
  },
  id: string,
): Promise<void> {
  const { db, reconciler, followers } = parts;
  const stored = await db.providerEvent.findUniqueOrThrow({ where: { id } });
  const [status, outcome] = await handle();
  await db.$executeRaw`
    UPDATE provider_event SET status = ${status}, outcome = ${outcome}, processed_at = clock_timestamp()
    WHERE id = ${id}::uuid`;

  async function handle(): Promise<['processed' | 'ignored', string]> {
    const operation = operationOf(stored);
    const { informative, object, intentId } = readStripeEvent(stored);
    if (!operation) return ['ignored', 'about nothing of ours'];
    if (!informative) return ['processed', 'nothing to learn'];
    const event = { operation, object, intentId };
    const superseded = await isSuperseded(followers, event);
    const found = await reconciler.reconcile(operation, `webhook:${stored.eventId}`);
    if (found.kind === 'still_unknown' && found.noEvidence && !(await isCheckDueSoon(db, operation))) {
      throw new ProviderUnresponsive(found.code);
    }
    // The operation's outcome says nothing about what it no longer uses, nor about what happens after it is over.
    const isOver = found.kind === 'nothing_to_do' || superseded;
    const followed = isOver ? await follow(followers, event) : undefined;
    return ['processed', followed ?? outcomeOf(found)];
  }
}

async function isSuperseded(followers: readonly EventFollower[], event: ProviderEvent): Promise<boolean> {
  for (const follower of followers) {
    if (await follower.isSuperseded(event)) return true;
  }
  return false;
}

/** What the first follower did that had something to do. */
async function follow(
  followers: readonly EventFollower[],
  event: ProviderEvent,
): Promise<string | undefined> {
  for (const follower of followers) {
    const followed = await follower.follow(event);
    if (followed?.kind === 'no_evidence') throw new ProviderUnresponsive(followed.code);
    if (followed) return followed.outcome;
  }
  return undefined;
}

function operationOf(event: {
  tenantId: string | null;
  operationId: string | null;
}): OperationRef | undefined {
  const { tenantId, operationId } = event;
  return tenantId !== null && operationId !== null ? { tenantId, id: operationId } : undefined;
}

/** An escalated operation has no check ahead of it, and late in the schedule the next one may be a day away. */
async function isCheckDueSoon(db: PrismaClient, { tenantId, id }: OperationRef): Promise<boolean> {
  const [row] = await db.$queryRaw<{ soon: boolean }[]>`
    SELECT status <> 'unknown' OR coalesce(
      next_check_at < clock_timestamp() + ${soonMs}::int * interval '1 millisecond', false) AS soon
    FROM operation WHERE tenant_id = ${tenantId} AND id = ${id}::uuid`;
  return row?.soon ?? true;
}

function outcomeOf(found: Reconciled): string {
  switch (found.kind) {
    case 'completed':
    case 'released':
      return `${found.kind}: ${found.cause}`;
    case 'still_unknown':
      return `${found.kind}: ${found.code}`;
    case 'nothing_to_do':
      return `${found.kind}: ${found.status}`;
  }
}
