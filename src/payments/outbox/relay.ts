import { Prisma, type PrismaClient } from '#prisma';
import { addJob } from '#queue/index.ts';
import type { Consumers, OutboxMessage } from './consume-event.ts';
import { paymentEventTask } from './jobs.ts';
import type { TenantRow } from './tenant-row.ts';

/** Enough to share a transaction's cost; few enough that it stays short. */
export const relayBatchSize = 50;

export interface RelayObserver {
  onConsumed(event: OutboxMessage): void;
  /** A batch was rolled back, and its events become jobs. If those succeed, no one else reports the error. */
  onBatchFailed(error: unknown): void;
}

/**
 * Takes committed events to their consumers: one transaction for a batch of events and all their consumers, and no job.
 * Any number of workers may do it, because each locks the events it takes.
 *
 * If anything in a batch fails, all of it is rolled back and each tenant gets a batch of its own, so that a row of one tenant that
 * another session holds delays no other tenant's events. In the batch that fails again each event becomes a job, which runs the
 * consumers one by one (`consumeEvent`) and is retried until it succeeds. So one bad event delays its neighbours by a moment only.
 *
 * Returns how many events it took.
 */
export async function relayEvents(
  db: PrismaClient,
  consumers: Consumers,
  observer: RelayObserver,
): Promise<number> {
  const relay = async (tenantIds?: readonly string[]) => {
    const consumed = await db.$transaction((tx) => consumeBatch(tx, consumers, tenantIds));
    for (const event of consumed) observer.onConsumed(event);
    return consumed.length;
  };
  try {
    return await relay();
  } catch (error) {
    observer.onBatchFailed(error);
  }
  const tenantIds = await findDueTenants(db);
  let taken = 0;
  for (const tenantId of tenantIds) {
    const enqueue = () => db.$transaction((tx) => enqueueBatch(tx, [tenantId]));
    taken += tenantIds.length === 1 ? await enqueue() : await relay([tenantId]).catch(enqueue);
  }
  return taken;
}

/** Of the next batch. */
async function findDueTenants(db: PrismaClient): Promise<string[]> {
  const due = await db.$queryRaw<{ tenantId: string }[]>`
    SELECT DISTINCT tenant_id AS "tenantId" FROM (
      SELECT tenant_id FROM outbox_event WHERE relayed_at IS NULL
      ORDER BY created_at LIMIT ${relayBatchSize}) AS due`;
  return due.map(({ tenantId }) => tenantId);
}

/** Behind the webhooks of other tenants: a consumer that waits for a row occupies a slot of the worker. */
const retryPriority = 15;

async function enqueueBatch(tx: Prisma.TransactionClient, tenantIds: readonly string[]): Promise<number> {
  const events = await take(tx, [], tenantIds);
  for (const { tenantId, id } of events) {
    const payload: TenantRow = { tenantId, id };
    const key = `${paymentEventTask}:${id}`;
    await addJob(tx, { task: paymentEventTask, payload, key, priority: retryPriority });
  }
  return events.length;
}

/**
 * Takes events, with the inbox rows of their consumers. An event that one of its consumers has had before makes this fail, and
 * goes the way of the jobs.
 */
async function take(
  tx: Prisma.TransactionClient,
  consumers: readonly string[],
  tenantIds?: readonly string[],
): Promise<Omit<OutboxMessage, 'payment'>[]> {
  const ofTenants = tenantIds ? Prisma.sql`AND tenant_id = ANY (${tenantIds}::text[])` : Prisma.empty;
  return tx.$queryRaw`
    WITH taken AS (
      UPDATE outbox_event e SET relayed_at = statement_timestamp()
      FROM (
        SELECT tenant_id, id FROM outbox_event WHERE relayed_at IS NULL ${ofTenants}
        ORDER BY created_at LIMIT ${relayBatchSize} FOR UPDATE SKIP LOCKED) AS due
      WHERE e.tenant_id = due.tenant_id AND e.id = due.id
      RETURNING e.*),
    consumed AS (
      INSERT INTO inbox_message (tenant_id, consumer, message_id)
      SELECT tenant_id, consumer, id FROM taken, unnest(${consumers}::text[]) AS consumer)
    SELECT tenant_id AS "tenantId", id, payment_id AS "paymentId", source_id AS "sourceId", type,
      created_at AS "createdAt", relayed_at AS "relayedAt"
    FROM taken`;
}

async function consumeBatch(
  tx: Prisma.TransactionClient,
  consumers: Consumers,
  tenantIds?: readonly string[],
): Promise<readonly OutboxMessage[]> {
  const events = await take(tx, Object.keys(consumers), tenantIds);
  if (events.length === 0) return [];
  const payments = await tx.payment.findMany({
    // Lists, not pairs: Prisma would prepare a statement anew for every number of pairs.
    where: {
      tenantId: { in: [...new Set(events.map(({ tenantId }) => tenantId))] },
      id: { in: events.map(({ paymentId }) => paymentId) },
    },
  });
  const messages = events.map((event) => {
    const payment = payments.find(
      ({ tenantId, id }) => tenantId === event.tenantId && id === event.paymentId,
    );
    if (!payment) throw new Error(`Event ${event.id} has no payment.`);
    return { ...event, payment };
  });
  for (const consume of Object.values(consumers)) await consume(tx, messages);
  return messages;
}
