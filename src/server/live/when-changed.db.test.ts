import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SettlementSignal } from '#idempotency/index.ts';
import { createTestDatabase, type TestDatabase } from '#run/testing/database.ts';
import { createPageContext } from '../trpc/context.ts';
import { createCaller } from '../trpc/root.ts';
import { type House, house } from '../services.ts';
import { topicOfOrder } from '#shop/order-payments.ts';
import { whenChanged } from './when-changed.ts';

let database: TestDatabase;
let h: House;
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
  h = house();
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

function insertRecord(orderId: string, key: string) {
  return h.store.insert({
    tenantId,
    operation: 'payment.create',
    key,
    fingerprint: 'f',
    fingerprintVersion: 1,
    principal: `order:${orderId}`,
    leaseMs: 60_000,
    effectSent: false,
    fieldDigests: {},
  });
}

/** As the browser has it: the procedure itself, with its checks. */
async function subscribe<T>(open: (caller: ReturnType<typeof createCaller>) => Promise<AsyncIterable<T>>) {
  const caller = createCaller(createPageContext(new Headers()));
  const stream = (await open(caller))[Symbol.asyncIterator]();
  return { next: async () => (await stream.next()).value as T, end: () => stream.return?.() };
}

test('an order tells of its payments as they come, change and are receipted, and not of anybody else’s', async () => {
  const [order, other] = [await anOrder(), await anOrder()];
  const stream = await subscribe((caller) => caller.payments.watchOrder({ orderId: order.id }));
  expect(await stream.next()).toEqual([]);
  const second = stream.next();
  await aPayment(other.number);
  const payment = await aPayment(order.number);
  expect(await second).toMatchObject([{ paymentId: payment.id, status: 'pending' }]);
  const third = stream.next();
  const settled = { status: 'succeeded', settledAt: new Date() };
  await h.db.payment.update({ where: { id: payment.id }, data: settled });
  expect(await third).toMatchObject([{ status: 'succeeded', receiptNumber: null }]);
  const fourth = stream.next();
  await h.db.receipt.create({ data: { paymentId: payment.id } });
  expect(await fourth).toMatchObject([{ status: 'succeeded', receiptNumber: expect.any(Number) }]);
  await stream.end();
});

test('an attempt is told from before its beginning to its end, and the stream ends with it', async () => {
  const order = await anOrder();
  const key = randomUUID();
  const stream = await subscribe((caller) => caller.payments.watch({ orderId: order.id, key }));
  expect(await stream.next()).toEqual({ status: 'none' });
  const begun = stream.next();
  const record = await insertRecord(order.id, key);
  await aPayment(order.number);
  expect(await begun).toMatchObject({ status: 'in_progress', operationId: record?.id });
  const ended = stream.next();
  await h.store.move({
    id: record?.id ?? '',
    when: { status: ['in_progress'], attempt: 1 },
    to: 'failed_retryable',
    because: { actor: 'test', cause: 'nothing_happened' },
    errorCode: 'x',
    retention: { replayMs: 60_000, bodyMs: 60_000, metadataMs: 60_000 },
  });
  expect(await ended).toMatchObject({ status: 'failed_retryable' });
  expect(await stream.next()).toBeUndefined();
});

test('the key of another order is told nothing of', async () => {
  const [order, other] = [await anOrder(), await anOrder()];
  const key = randomUUID();
  await insertRecord(order.id, key);
  const stream = await subscribe((caller) => caller.payments.watch({ orderId: other.id, key }));
  expect(await stream.next()).toEqual({ status: 'none' });
  await stream.end();
});

/** Counts the watches that are open, and what was looked at. */
function counted(signal: SettlementSignal) {
  const count = { open: 0, looks: 0 };
  const counting: SettlementSignal = {
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

test('a reader who leaves while nothing happens leaves no watch behind, and nothing was polled', async () => {
  const order = await anOrder();
  const gone = new AbortController();
  const { count, counting } = counted(h.signal);
  const stream = whenChanged({
    signal: counting,
    topic: () => topicOfOrder(order),
    look: async () => {
      count.looks += 1;
      return 'the same';
    },
    isLast: () => false,
    gone: gone.signal,
  });
  expect((await stream.next()).value).toBe('the same');
  const next = expect(stream.next()).rejects.toThrow(/abort/i);
  await expect.poll(() => count.open).toBe(1);
  gone.abort();
  await next;
  expect(count).toEqual({ open: 0, looks: 1 });
});

test('a change that comes between the look and the waiting is not missed', async () => {
  const order = await anOrder();
  let told = 'before';
  const stream = whenChanged({
    signal: h.signal,
    topic: () => topicOfOrder(order),
    look: async () => {
      const seen = told;
      if (told === 'before') {
        told = 'after';
        await aPayment(order.number);
      }
      return seen;
    },
    isLast: (seen) => seen === 'after',
    gone: new AbortController().signal,
  });
  const seen: string[] = [];
  for await (const one of stream) seen.push(one);
  expect(seen).toEqual(['before', 'after']);
});

test('a LISTEN connection that was cut is opened again, and what happened meanwhile is seen', async () => {
  const order = await anOrder();
  const stream = await subscribe((caller) => caller.payments.watchOrder({ orderId: order.id }));
  expect(await stream.next()).toEqual([]);
  const next = stream.next();
  await h.db.$executeRaw`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'paidonce-signal' AND datname = current_database()`;
  await aPayment(order.number);
  expect(await next).toMatchObject([{ status: 'pending' }]);
  await stream.end();
});
