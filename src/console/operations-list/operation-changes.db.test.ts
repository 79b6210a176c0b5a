import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createListener, type Listener } from '#idempotency/stores/prisma.ts';
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

/** The listener of the process, and how many subscribe to it. */
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
  const payment = await runningPayment(db, mine);
  await becomeUnknown(db, payment);
  expect(await changed).toEqual({ done: false, value: [payment.id] });
  leave.abort();
  expect(await nothing).toEqual({ done: true, value: undefined });
  await here.return();
  expect(subscribers()).toBe(0);
});

test('a lost connection is an empty batch for every watcher, and changes after it are reported again', async () => {
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
  // The second time is for what was committed while there was no connection.
  expect(await watchers[0].next()).toEqual({ done: false, value: [] });
  const next = watchers[0].next();
  const payment = await runningPayment(db, shop);
  await becomeUnknown(db, payment);
  expect(await next).toEqual({ done: false, value: [payment.id] });
  leave.abort();
  await Promise.all(watchers.map((watcher) => watcher.return()));
});
