import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Consumers } from './consume-event.ts';
import { type RelayObserver, relayEvents } from './relay.ts';
import { type OutboxHarness, openOutboxHarness } from './testing/harness.ts';

let harness: OutboxHarness;
let shop: string;

beforeAll(async () => {
  harness = await openOutboxHarness();
});
beforeEach(async () => {
  shop = await harness.openShop('Acme Coffee');
});
afterAll(() => harness.close());

const failure = new Error('The consumer failed.');

/** A consumer that writes down what it got, in the transaction that it got. */
function recorder(fails: (eventId: string) => boolean = () => false) {
  const got: string[] = [];
  const consumed: string[] = [];
  const errors: unknown[] = [];
  const consumers: Consumers = {
    async recorder(_tx, events) {
      if (events.some(({ id }) => fails(id))) throw failure;
      got.push(...events.map(({ id }) => id));
    },
  };
  const observer: RelayObserver = {
    onConsumed: ({ id }) => consumed.push(id),
    onBatchFailed: (error) => errors.push(error),
  };
  return { got, consumed, errors, relay: () => relayEvents(harness.db, consumers, observer) };
}

const buyMany = async (count: number) => {
  const bought = await Promise.all(Array.from({ length: count }, () => harness.buy(shop)));
  return bought.map(({ eventId }) => eventId);
};

test('events are taken to their consumers once, and no job is needed', async () => {
  const events = await buyMany(3);
  const { got, consumed, errors, relay } = recorder();
  expect(await relay()).toBe(3);
  expect(await relay()).toBe(0);
  expect(got.toSorted()).toEqual(events.toSorted());
  expect(consumed.toSorted()).toEqual(events.toSorted());
  expect(errors).toEqual([]);
  expect(await harness.jobs()).toEqual([]);
});

test('of two relays at once each event is taken by one', async () => {
  const events = await buyMany(120);
  const { got, relay } = recorder();
  const drain = async () => {
    while ((await relay()) > 0);
  };
  await Promise.all([drain(), drain(), drain()]);
  await drain();
  expect(got.toSorted()).toEqual(events.toSorted());
});

test('a consumer that fails rolls the whole batch back and is reported, and each event becomes a job of its own', async () => {
  const events = await buyMany(3);
  const { relay, consumed, errors } = recorder((eventId) => eventId === events[1]);
  expect(await relay()).toBe(3);
  expect(errors).toEqual([failure]);
  expect(consumed).toEqual([]);
  expect(await harness.db.inboxMessage.count({ where: { tenantId: shop } })).toBe(0);
  expect((await harness.jobs()).map(({ task }) => task)).toEqual(Array(3).fill('payment_event'));
  expect(await relay()).toBe(0);
  await harness.work();
  const receipts = await harness.db.inboxMessage.findMany({ where: { tenantId: shop, consumer: 'receipt' } });
  expect(receipts.map(({ messageId }) => messageId).toSorted()).toEqual(events.toSorted());
});

test('a relay whose transaction does not commit leaves the events to the next one', async () => {
  const events = await buyMany(2);
  const { got, relay } = recorder();
  const killed = relayEvents(
    harness.db,
    {
      async suicide(tx) {
        await tx.$executeRaw`SELECT pg_terminate_backend(pg_backend_pid())`;
      },
    },
    { onConsumed: () => undefined, onBatchFailed: () => undefined },
  );
  await killed.catch(() => undefined);
  const left = await harness.db.outboxEvent.count({ where: { tenantId: shop, relayedAt: null } });
  const jobs = await harness.jobs();
  expect(left + jobs.length).toBe(2);
  if (left > 0) {
    expect(await relay()).toBe(2);
    expect(got.toSorted()).toEqual(events.toSorted());
  }
});
