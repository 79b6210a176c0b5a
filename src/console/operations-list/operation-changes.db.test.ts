import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operationTopic } from '#idempotency/index.ts';
import { createListener, type Listener } from '#idempotency/stores/postgres.ts';
import { type OpenDatabase, openTestDatabase } from '#run/testing/open-database.ts';
import { becomeUnknown, createShop, runningPayment } from '../testing/rows.ts';
import { createOperationChanges } from './operation-changes.ts';

let database: OpenDatabase;
let db: OpenDatabase['db'];
let listener: Listener;

beforeAll(async () => {
  database = await openTestDatabase();
  db = database.db;
  listener = createListener(database.url);
});
afterAll(async () => {
  await listener.close();
  await database.close();
});

/** The process's listener, with a count of its subscribers. */
function counted() {
  let subscribers = 0;
  const counting: Pick<Listener, 'subscribe'> = {
    subscribe(subscriber) {
      const unsubscribe = listener.subscribe(subscriber);
      subscribers++;
      return () => {
        subscribers--;
        unsubscribe();
      };
    },
  };
  return { counting, subscribers: () => subscribers };
}

/** A payment that became unknown, and the notification that the store sends after such a commit. */
async function changedPayment(tenantId: string) {
  const payment = await runningPayment(db, tenantId);
  await becomeUnknown(db, payment);
  listener.notify([operationTopic(payment)]);
  return payment;
}

test('changes reach only watchers of the shop they happened in; the last watcher to leave ends the subscription', async () => {
  const [mine, theirs] = [await createShop(db, randomUUID()), await createShop(db, randomUUID())];
  const { counting, subscribers } = counted();
  const changes = createOperationChanges(counting);
  expect(subscribers()).toBe(0);
  const leave = new AbortController();
  const here = changes.watch([mine], leave.signal);
  const there = changes.watch([theirs], leave.signal);
  const changed = here.next();
  const nothing = there.next();
  await listener.connected();
  expect(subscribers()).toBe(1);
  const payment = await changedPayment(mine);
  expect(await changed).toEqual({ done: false, value: [payment.id] });
  leave.abort();
  expect(await nothing).toEqual({ done: true, value: undefined });
  await here.return();
  expect(subscribers()).toBe(0);
});

test('a lost connection gives every watcher an empty batch, and later changes are reported again', async () => {
  const shop = await createShop(db, randomUUID());
  const changes = createOperationChanges(listener);
  const leave = new AbortController();
  const watchers = [
    changes.watch([shop], leave.signal),
    changes.watch([randomUUID()], leave.signal),
  ] as const;
  const first = watchers.map((watcher) => watcher.next());
  await listener.connected();
  await db.$executeRaw`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'paidonce-listen' AND datname = current_database()`;
  expect(await Promise.all(first)).toEqual([
    { done: false, value: [] },
    { done: false, value: [] },
  ]);
  // The reconnect gives a second one, for changes that were committed while there was no connection.
  expect(await watchers[0].next()).toEqual({ done: false, value: [] });
  const next = watchers[0].next();
  const payment = await changedPayment(shop);
  expect(await next).toEqual({ done: false, value: [payment.id] });
  leave.abort();
  await Promise.all(watchers.map((watcher) => watcher.return()));
});
