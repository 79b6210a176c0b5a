import type { OperationRef } from '#idempotency/index.ts';
import { type DashboardEvent, type EventFollower, readStripeEvent } from '#payments/index.ts';
import type { Prisma, PrismaClient } from '#prisma';
import { addJob } from '#queue/index.ts';
import { eventOutcomes, finishIfKnown } from './known-events.ts';
import { ProviderUnresponsive } from './provider-trouble.ts';
import type { Reconciled, Reconciler } from './reconcile.ts';

export const providerEventTask = 'provider_event';

/** Before receipts and merchants' webhooks, whose priority is 0. */
export const providerEventPriority = -10;

/** As long as the quick part of the schedule lasts: until then the poller asks often enough by itself. */
const soonMs = 60_000;

/** Also how an operator has an event processed again. */
export async function enqueueProviderEvent(tx: Prisma.TransactionClient, id: string): Promise<void> {
  await addJob(tx, {
    task: providerEventTask,
    payload: { id },
    key: `${providerEventTask}:${id}`,
    priority: providerEventPriority,
  });
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
    readonly follower: EventFollower;
  },
  id: string,
): Promise<void> {
  const { db, reconciler, follower } = parts;
  if (await finishIfKnown(db, id)) return;
  const stored = await db.providerEvent.findUniqueOrThrow({ where: { id } });
  const [status, outcome] = await handle();
  await db.$executeRaw`
    UPDATE provider_event SET status = ${status}, outcome = ${outcome}, processed_at = clock_timestamp()
    WHERE id = ${id}::uuid`;

  async function handle(): Promise<['processed' | 'ignored', string]> {
    const operation = operationOf(stored);
    const { informative, object, objectId, intentId, state } = readStripeEvent(stored);
    if (!operation) return handleFromDashboard({ object, objectId, intentId, state });
    if (!informative) return ['processed', eventOutcomes.uninformative];
    const event = { operation, object, objectId, intentId, state };
    const isOfEarlier = await follower.isOfEarlierGeneration(event);
    const found = await reconciler.reconcile(operation, `webhook:${stored.eventId}`);
    if (found.kind === 'still_unknown' && found.noEvidence && !(await isCheckDueSoon(db, operation))) {
      throw new ProviderUnresponsive(found.code);
    }
    // The operation's outcome says nothing about what it no longer uses, nor about what happens after it is over.
    const isOver =
      found.kind === 'nothing_to_do' ||
      isOfEarlier ||
      (found.kind === 'completed' && (await follower.isOfEarlierGeneration(event)));
    const followed = isOver ? await follower.follow(event) : undefined;
    if (followed?.kind === 'no_evidence') throw new ProviderUnresponsive(followed.code);
    return ['processed', followed?.kind === 'changed' ? followed.outcome : outcomeOf(found)];
  }

  /** It has no metadata of ours. The payment that it belongs to is reconciled first, because a refund is booked after it. */
  async function handleFromDashboard(event: DashboardEvent): Promise<['processed' | 'ignored', string]> {
    const operation = await follower.identify(event);
    if (!operation) return ['ignored', eventOutcomes.notOurs];
    if ('kind' in operation) throw new ProviderUnresponsive(operation.code);
    const found = await reconciler.reconcile(operation, `webhook:${stored.eventId}`);
    if (found.kind === 'still_unknown') throw new ProviderUnresponsive(found.code);
    const followed = await follower.follow({ ...event, operation, isFromDashboard: true });
    if (followed?.kind === 'no_evidence') throw new ProviderUnresponsive(followed.code);
    // From now on the shop's operators see it.
    await db.providerEvent.update({
      where: { id },
      data: { tenantId: operation.tenantId, operationId: operation.id },
    });
    return ['processed', followed?.kind === 'changed' ? followed.outcome : outcomeOf(found)];
  }
}

function operationOf(event: {
  tenantId: string | null;
  operationId: string | null;
}): OperationRef | undefined {
  const { tenantId, operationId } = event;
  return tenantId !== null && operationId !== null ? { tenantId, id: operationId } : undefined;
}

/**
 * An escalated operation has no check ahead of it, and late in the schedule the next one may be a day away. The owner of one in
 * progress asks about its own request only, and may release it.
 */
async function isCheckDueSoon(db: PrismaClient, { tenantId, id }: OperationRef): Promise<boolean> {
  const [row] = await db.$queryRaw<{ soon: boolean }[]>`
    SELECT status = 'unknown' AND coalesce(
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
