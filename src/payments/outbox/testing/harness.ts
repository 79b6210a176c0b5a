import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { PrismaPg } from '@prisma/adapter-pg';
import { Logger, runOnce, type WorkerEvents } from 'graphile-worker';
import pg from 'pg';
import { money } from '#payments/money.ts';
import { completeRefund } from '#payments/operations/create-refund/complete-refund.ts';
import { reserveRefund } from '#payments/operations/create-refund/refund.ts';
import { paymentOf } from '#payments/payment-rows.ts';
import { completePayment } from '#payments/testing/complete-payment.ts';
import { PrismaClient } from '#prisma';
import { addJob } from '#queue/index.ts';
import { createTestDatabase } from '#run/testing/database.ts';
import { addEndpoint as add, type EndpointChoice } from '../endpoint.ts';
import { createOutbox, type OutboxSettings } from '../outbox.ts';
import { atAnyAddress, testCipher } from './keys.ts';

const quiet = new Logger(() => () => undefined);

/** Payments that were completed by the same writes as in production, and workers that process what follows. */
export async function openOutboxHarness() {
  const database = await createTestDatabase({ template: 'app' });
  const pgPool = new pg.Pool({ connectionString: database.url });
  const db = new PrismaClient({
    adapter: new PrismaPg({ connectionString: database.url, max: 10 }),
    // A hundred purchases at once wait for ten connections.
    transactionOptions: { maxWait: 60_000, timeout: 60_000 },
  });

  const purchases = new Map<string, Awaited<ReturnType<OutboxSettings['describePurchase']>>>();
  const withoutMail: OutboxSettings = {
    consumers: {},
    describePurchase: async (_, tenantId, reference) => purchases.get(`${tenantId}:${reference}`),
    mail: {},
    webhookAddresses: 'public_or_loopback',
    cipher: testCipher,
  };

  async function openShop(name: string): Promise<string> {
    const id = randomUUID();
    await db.organization.create({ data: { id, name, slug: `shop-${id}` } });
    return id;
  }

  async function addEndpoint(tenantId: string, url: string, over: Partial<EndpointChoice> = {}) {
    const choice = { url, description: '', eventTypes: [], ...over };
    const added = await db.$transaction((tx) => add(tx, tenantId, choice, atAnyAddress));
    if (added.kind !== 'added') throw new Error(`The endpoint was not added: ${added.kind}.`);
    return { row: { tenantId, id: added.id }, secret: added.secret };
  }

  /** A completed payment, and what was bought. */
  async function buy(
    tenantId: string,
    options: {
      email?: string;
      result?: 'succeeded' | 'declined';
      order?: boolean;
      orderedAt?: Date;
      /** An earlier payment of the same order, and why the bank declined it. */
      declinedBefore?: string;
    } = {},
  ) {
    const order = options.order === false ? undefined : placeOrder(tenantId, options.orderedAt ?? new Date());
    if (order && options.declinedBefore) await decline(order, options.declinedBefore);
    const row = await db.payment.create({
      data: {
        id: randomUUID(),
        tenantId,
        operationId: randomUUID(),
        reference: order?.number ?? `invoice-${randomUUID()}`,
        amountMinor: 5400,
        currency: 'usd',
        paymentMethod: 'pm_card_visa',
        receiptEmail: options.email ?? null,
        status: 'pending',
      },
    });
    const payment = paymentOf(row);
    const intentId = `pi_${payment.id}`;
    await completePayment(
      db,
      payment,
      options.result === 'declined'
        ? { kind: 'declined', intentId, declineCode: 'generic_decline' }
        : { kind: 'succeeded', intentId, chargeId: 'ch_1', card: { brand: 'visa', last4: '4242' } },
    );
    const event = await db.outboxEvent.findFirstOrThrow({ where: { tenantId, paymentId: payment.id } });
    return { payment, orderId: order?.id, eventId: event.id };
  }

  async function decline(order: { tenantId: string; number: string }, declineCode: string): Promise<void> {
    const amount = { amountMinor: 5400, currency: 'usd', paymentMethod: 'pm_card_chargeDeclined' };
    const ids = { id: randomUUID(), operationId: randomUUID() };
    const end = { status: 'declined', declineCode, completedAt: new Date() };
    await db.payment.create({
      data: { ...ids, ...amount, ...end, tenantId: order.tenantId, reference: order.number },
    });
  }

  function placeOrder(tenantId: string, orderedAt: Date) {
    const order = { id: randomUUID(), tenantId, number: `ACME-${randomUUID().slice(0, 8).toUpperCase()}` };
    purchases.set(`${tenantId}:${order.number}`, {
      orderedAt,
      orderUrl: `https://shop.example/orders/${order.id}`,
      lines: [
        { name: 'Beans & <leaves>', quantity: 2, amount: money(2400n, 'usd') },
        { name: 'Pour-over kettle', quantity: 1, amount: money(3000n, 'usd') },
      ],
    });
    return order;
  }

  async function refund(tenantId: string, paymentId: string, amountMinor: number): Promise<string> {
    return db.$transaction(async (tx) => {
      const reserved = await reserveRefund(
        tx,
        { tenantId, id: randomUUID() },
        { paymentId, amountMinor, reference: randomUUID() },
      );
      if (!reserved) throw new Error('There was nothing to refund.');
      await completeRefund(tx, reserved, `re_${reserved.id}`, 'evidence');
      return reserved.id;
    });
  }

  /** A worker of its own that relays every event, runs every due job, and ends. */
  async function work(settings: Partial<OutboxSettings> = {}): Promise<void> {
    const outbox = createOutbox(db, { ...withoutMail, ...settings });
    while ((await outbox.relay()) > 0);
    const taskList = outbox.tasks;
    const events: WorkerEvents = new EventEmitter();
    const created = once(events, 'pool:create');
    await runOnce({ pgPool, taskList, events, concurrency: 4, noHandleSignals: true, logger: quiet });
    const [{ workerPool }] = await created;
    // graphile-worker does not wait until a job is unlocked; tests that read the queue must.
    const held = 'SELECT FROM graphile_worker.jobs WHERE locked_by = $1';
    while ((await pgPool.query(held, [workerPool.id])).rowCount !== 0) await delay(5);
  }

  /** The same job once more, as a queue that delivers at least once may do. */
  async function duplicateJob(task: string, payload: object): Promise<void> {
    await addJob(db, { task, payload });
  }

  /** An hour goes by: back-offs, leases and heartbeats run out. */
  async function letTimePass(): Promise<void> {
    await db.$executeRaw`
      UPDATE graphile_worker._private_jobs
      SET run_at = run_at - interval '1 hour', locked_at = locked_at - interval '1 hour'`;
    await db.$executeRaw`UPDATE email SET lease_until = lease_until - interval '1 hour'`;
    await db.$executeRaw`UPDATE merchant_webhook_delivery SET lease_until = lease_until - interval '1 hour'`;
    await db.$executeRaw`UPDATE merchant_webhook_endpoint SET turn_until = turn_until - interval '1 hour'`;
    await db.$executeRaw`UPDATE worker_heartbeat SET seen_at = seen_at - interval '1 hour'`;
  }

  /** The jobs that are left, each with its last error. */
  function jobs() {
    return db.$queryRaw<{ task: string; attempts: number; error: string | null; locked: boolean }[]>`
      SELECT task_identifier AS task, attempts::int, last_error AS error, locked_at IS NOT NULL AS locked
      FROM graphile_worker.jobs ORDER BY task_identifier, id`;
  }

  async function close(): Promise<void> {
    await Promise.all([db.$disconnect(), pgPool.end()]);
    await database.drop();
  }

  return { db, database, openShop, addEndpoint, buy, refund, work, duplicateJob, letTimePass, jobs, close };
}

export type OutboxHarness = Awaited<ReturnType<typeof openOutboxHarness>>;
