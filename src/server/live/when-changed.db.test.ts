import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type ChangeSignal, operationRefOf, operationTopic } from '#idempotency/index.ts';
import { openException } from '#payments/index.ts';
import { createTestDatabase, type TestDatabase } from '#run/testing/database.ts';
import { topicOfOrder } from '#shop/order-payments.ts';
import { type Services, services } from '../services.ts';
import { createPageContext } from '../trpc/context.ts';
import { createCaller } from '../trpc/root.ts';
import { payDefinition } from '../trpc/routers/payments.ts';
import { whenChanged } from './when-changed.ts';

let database: TestDatabase;
let h: Services;
const tenantId = randomUUID();

beforeAll(async () => {
  database = await createTestDatabase({ template: 'app' });
  Object.assign(process.env, {
    DATABASE_URL: database.url,
    AUTH_SECRET: randomBytes(32).toString('base64url'),
    RESPONSE_KEYS: `test:${randomBytes(32).toString('base64')}`,
    SANDBOX_SECRET_KEY: 'sk_test_unused',
    SANDBOX_WEBHOOK_SECRET: 'whsec_unused',
    LOG_LEVEL: 'silent',
  });
  h = services();
  await h.db.organization.create({ data: { id: tenantId, name: 'acme', slug: 'acme' } });
});
afterAll(async () => {
  await h.close();
  await database.drop();
});

async function anOrder() {
  const number = `ACME-${randomUUID().slice(0, 8)}`;
  return h.db.order.create({ data: { tenantId, number, amountMinor: 1450, currency: 'eur' } });
}

async function aPayment(reference: string) {
  const id = randomUUID();
  const about = { id, tenantId, operationId: randomUUID(), reference, paymentMethod: 'pm_card_visa' };
  return h.db.payment.create({ data: { ...about, amountMinor: 1450, currency: 'eur', status: 'pending' } });
}

async function insertRecord(orderId: string, key: string) {
  const scope = { tenantId, operation: payDefinition.name, key };
  const claimed = await h.store.claim({
    ...scope,
    ...operationRefOf(scope),
    fingerprint: 'f',
    fingerprintVersion: 1,
    principal: `order:${orderId}`,
    leaseMs: 60_000,
    effectSent: false,
    fieldDigests: {},
  });
  if (!claimed?.granted) throw new Error('expected the claim to be granted');
  return claimed.record;
}

/** As the browser has it: the procedure itself, with its checks. */
async function subscribe<T>(open: (caller: ReturnType<typeof createCaller>) => Promise<AsyncIterable<T>>) {
  const caller = createCaller(createPageContext(new Headers()));
  const stream = (await open(caller))[Symbol.asyncIterator]();
  return { next: async () => (await stream.next()).value as T, end: () => stream.return?.() };
}

test('many streams of one order read it a few times for a change, and all show the change', async () => {
  const order = await anOrder();
  const open = () => subscribe((caller) => caller.payments.watchOrder({ orderId: order.id }));
  const streams = await Promise.all(Array.from({ length: 60 }, open));
  for (const stream of streams) expect(await stream.next()).toEqual([]);
  const coming = streams.map((stream) => stream.next());
  const reads = vi.spyOn(h.db.payment, 'findMany');
  const payment = await aPayment(order.number);
  h.signal.notify([topicOfOrder(order)]);
  const shown = await Promise.all(coming);
  expect(shown).toEqual(Array(60).fill([expect.objectContaining({ paymentId: payment.id })]));
  // A notification of one's own process arrives twice: at once, and from PostgreSQL.
  expect(reads.mock.calls.length).toBeLessThanOrEqual(6);
  reads.mockRestore();
  for (const stream of streams) await stream.end();
});

test('an order’s stream shows its payments as they are created, change and get receipts, and no other order’s', async () => {
  const [order, other] = [await anOrder(), await anOrder()];
  const stream = await subscribe((caller) => caller.payments.watchOrder({ orderId: order.id }));
  expect(await stream.next()).toEqual([]);
  const second = stream.next();
  await aPayment(other.number);
  const payment = await aPayment(order.number);
  // As the store does after the commits of the claim and of the completion.
  h.signal.notify([topicOfOrder(order)]);
  expect(await second).toMatchObject([{ paymentId: payment.id, status: 'pending' }]);
  const third = stream.next();
  const completed = { status: 'succeeded', completedAt: new Date() };
  await h.db.payment.update({ where: { tenantId_id: { tenantId, id: payment.id } }, data: completed });
  h.signal.notify([topicOfOrder(order)]);
  expect(await third).toMatchObject([{ status: 'succeeded', receiptNumber: null }]);
  const fourth = stream.next();
  await h.db.receipt.create({ data: { tenantId, paymentId: payment.id } });
  expect(await fourth).toMatchObject([{ status: 'succeeded', receiptNumber: expect.any(Number) }]);
  await stream.end();
});

test('an order’s stream shows that a charge was found for a released payment, and what was decided about it', async () => {
  const order = await anOrder();
  const { id: paymentId } = await aPayment(order.number);
  const about = { tenantId, paymentId };
  await h.db.payment.updateMany({ where: { tenantId, id: paymentId }, data: { status: 'released' } });
  const stream = await subscribe((caller) => caller.payments.watchOrder({ orderId: order.id }));
  expect(await stream.next()).toMatchObject([{ status: 'released' }]);
  const found = stream.next();
  const opened = performance.now();
  await openException(h.db, { ...about, intentId: 'pi_found', reason: 'charged_after_release' });
  expect(await found).toMatchObject([{ status: 'under_review' }]);
  const decided = stream.next();
  const data = { status: 'refunded', decidedAt: new Date(), decidedBy: 'operator:1' };
  await h.db.reconciliationException.updateMany({ where: about, data });
  expect(await decided).toMatchObject([{ status: 'sent_back' }]);
  expect(performance.now() - opened, 'it does not wait for the next read').toBeLessThan(20_000);
  await stream.end();
});

test('an attempt’s stream starts before the attempt and ends with it', async () => {
  const order = await anOrder();
  const key = randomUUID();
  const stream = await subscribe((caller) => caller.payments.watch({ orderId: order.id, key }));
  expect(await stream.next()).toEqual({ status: 'none' });
  const started = stream.next();
  const record = await insertRecord(order.id, key);
  await aPayment(order.number);
  // As the store does after the commit of the claim.
  h.signal.notify([topicOfOrder(order)]);
  expect(await started).toMatchObject({ status: 'in_progress', operationId: record.id });
  const ended = stream.next();
  await h.store.transition({
    record,
    when: { status: ['in_progress'], attempt: 1 },
    to: 'failed_retryable',
    reason: { actor: 'test', cause: 'nothing_happened' },
    errorCode: 'x',
    retention: { replayMs: 60_000, bodyMs: 60_000, metadataMs: 60_000 },
  });
  h.signal.notify([operationTopic(record)]);
  expect(await ended).toMatchObject({ status: 'failed_retryable' });
  expect(await stream.next()).toBeUndefined();
});

test('the stream of another order’s key shows nothing', async () => {
  const [order, other] = [await anOrder(), await anOrder()];
  const key = randomUUID();
  await insertRecord(order.id, key);
  const stream = await subscribe((caller) => caller.payments.watch({ orderId: other.id, key }));
  expect(await stream.next()).toEqual({ status: 'none' });
  await stream.end();
});

/** Counts open watches and reads. */
function counted(signal: ChangeSignal) {
  const count = { open: 0, reads: 0 };
  const counting: ChangeSignal = {
    ...signal,
    async watch(topic) {
      const watch = await signal.watch(topic);
      count.open += 1;
      let open = true;
      const close = () => {
        if (open) count.open -= 1;
        open = false;
        watch.close();
      };
      return { ...watch, close };
    },
  };
  return { count, counting };
}

test('a reader who leaves while nothing happens leaves no watch open, and nothing was polled', async () => {
  const order = await anOrder();
  const leave = new AbortController();
  const { count, counting } = counted(h.signal);
  const stream = whenChanged({
    signal: counting,
    topic: () => topicOfOrder(order),
    read: async () => {
      count.reads += 1;
      return 'the same';
    },
    isLast: () => false,
    aborted: leave.signal,
  });
  expect((await stream.next()).value).toBe('the same');
  const next = stream.next();
  await expect.poll(() => count.open).toBe(1);
  leave.abort();
  expect(await next).toEqual({ value: undefined, done: true });
  expect(count).toEqual({ open: 0, reads: 1 });
});

test('a change between the read and the wait is not missed', async () => {
  const order = await anOrder();
  let state = 'before';
  const stream = whenChanged({
    signal: h.signal,
    topic: () => topicOfOrder(order),
    read: async () => {
      const view = state;
      if (state === 'before') {
        state = 'after';
        await aPayment(order.number);
        h.signal.notify([topicOfOrder(order)]);
      }
      return view;
    },
    isLast: (view) => view === 'after',
    aborted: new AbortController().signal,
  });
  const views: string[] = [];
  for await (const view of stream) views.push(view);
  expect(views).toEqual(['before', 'after']);
});

test('a LISTEN connection that was cut is opened again, and changes meanwhile are shown', async () => {
  const order = await anOrder();
  const stream = await subscribe((caller) => caller.payments.watchOrder({ orderId: order.id }));
  expect(await stream.next()).toEqual([]);
  const next = stream.next();
  await h.db.$executeRaw`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'paidonce-listen' AND datname = current_database()`;
  await aPayment(order.number);
  expect(await next).toMatchObject([{ status: 'pending' }]);
  await stream.end();
});

test('a process has one LISTEN connection, however many pages and consoles are open', async () => {
  const leave = new AbortController();
  const orders = [await anOrder(), await anOrder()];
  const pages = await Promise.all(
    orders.map(({ id }) => subscribe((caller) => caller.payments.watchOrder({ orderId: id }))),
  );
  await Promise.all(pages.map((page) => page.next()));
  const consoles = [tenantId, randomUUID()].map((id) => h.changes.watch([id], leave.signal));
  const batches = consoles.map((console) => console.next());
  const [listening] = await h.db.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'paidonce-listen'`;
  expect(listening).toEqual({ count: 1 });
  leave.abort();
  await Promise.all([...batches, ...pages.map((page) => page.end())]);
});
