import { EventEmitter, once } from 'node:events';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openCuttableProxy } from '#run/testing/cuttable-proxy.ts';
import { createTestDatabase, type TestDatabase } from '#run/testing/database.ts';
import { createListener, type Listener } from './postgres-listener.ts';
import { createPostgresSignal } from './postgres-signal.ts';

/** Longer than the test may take: a watcher that returns in time was woken. */
const forEverMs = 300_000;

let database: TestDatabase;
let other: pg.Client;
let listener: Listener;

beforeEach(async () => {
  database = await createTestDatabase();
  other = new pg.Client({ connectionString: database.url });
  await other.connect();
  listener = createListener(database.url);
});
afterEach(async () => {
  await Promise.all([listener.close(), other.end()]);
  await database.drop();
});

const ofListener = `FROM pg_stat_activity WHERE application_name = 'paidonce-listen' AND datname = current_database()`;

async function backends(): Promise<number> {
  const { rows } = await other.query<{ count: number }>(`SELECT count(*)::int AS count ${ofListener}`);
  return rows[0]?.count ?? 0;
}

async function cutConnections(): Promise<void> {
  const { rowCount } = await other.query(`SELECT pg_terminate_backend(pid) ${ofListener}`);
  expect(rowCount).toBe(1);
}

const notify = (topic: string) => other.query(`SELECT pg_notify('paidonce_operation', $1)`, [topic]);

/** A subscriber, and what it received in order. */
function subscribe(to = listener) {
  const received: string[] = [];
  const events = new EventEmitter();
  const receive = (what: string) => {
    received.push(what);
    events.emit(what);
  };
  const unsubscribe = to.subscribe({ onNotified: receive, onMissed: () => receive('missed') });
  return { received, next: (what: string) => once(events, what), unsubscribe };
}

test('nothing is connected before the first use', async () => {
  createPostgresSignal(listener);
  expect(await backends()).toBe(0);
  await listener.connected();
  expect(await backends()).toBe(1);
});

test('one backend serves everything that listens, and each subscriber gets every topic', async () => {
  const [first, second] = [subscribe(), subscribe()];
  const signal = createPostgresSignal(listener);
  const watches = await Promise.all(['a', 'b', 'c'].map((topic) => signal.watch(topic)));
  expect(await backends()).toBe(1);

  const woken = watches[1]?.changed(forEverMs);
  const both = [first.next('b'), second.next('b')];
  await notify('b');
  await Promise.all(both);
  expect(await woken).toBe(true);
  expect([first.received, second.received]).toEqual([['b'], ['b']]);
});

test('a subscriber that left receives nothing more', async () => {
  const [left, stays] = [subscribe(), subscribe()];
  await listener.connected();
  left.unsubscribe();
  const notified = stays.next('a');
  await notify('a');
  await notified;
  expect(left.received).toEqual([]);
});

describe('a lost connection', () => {
  test('wakes everything that listens, and is opened again without being asked', async () => {
    const subscribers = [subscribe(), subscribe()];
    const signal = createPostgresSignal(listener);
    const watches = await Promise.all(['a', 'b'].map((topic) => signal.watch(topic)));
    const woken = watches.map((watch) => watch.changed(forEverMs));
    await cutConnections();
    expect(await Promise.all(woken)).toEqual([true, true]);

    // The second report, when the connection is back, covers what was committed in between.
    const missed = ['missed', 'missed'];
    await expect.poll(() => subscribers.map(({ received }) => received)).toEqual([missed, missed]);
    expect(await backends()).toBe(1);
    const notified = subscribers.map(({ next }) => next('a'));
    await notify('a');
    await Promise.all(notified);
    expect(subscribers.map(({ received }) => received)).toEqual([
      ['missed', 'missed', 'a'],
      ['missed', 'missed', 'a'],
    ]);
  });

  test('keeps what could not be notified until it is back', async () => {
    const proxy = await openCuttableProxy(database.url);
    const distant = createListener(proxy.url);
    try {
      const subscriber = subscribe();
      const lost = subscribe(distant).next('missed');
      await Promise.all([listener.connected(), distant.connected()]);
      const notified = subscriber.next('a');
      proxy.cut();
      await lost;
      distant.notify(['a']);
      // Longer than topics are collected for, so that sending them has failed.
      for (let attempt = 0; attempt < 100; attempt += 1) {
        await expect(distant.connected()).rejects.toThrow();
      }
      proxy.mend();
      await notified;
      expect(subscriber.received).toEqual(['a']);
    } finally {
      await distant.close();
      await proxy.close();
    }
  });

  test('that is silent, without having been closed, is noticed and replaced', async () => {
    const proxy = await openCuttableProxy(database.url);
    const distant = createListener(proxy.url, { pingMs: 50, timeoutMs: 500 });
    try {
      const subscriber = subscribe(distant);
      await distant.connected();
      const missed = subscriber.next('missed');
      proxy.silence();
      await missed;
      const back = subscriber.next('missed');
      proxy.mend();
      await back;
      const notified = subscriber.next('a');
      await notify('a');
      await notified;
    } finally {
      await distant.close();
      await proxy.close();
    }
  });

  test('is not replaced while nothing subscribes', async () => {
    subscribe().unsubscribe();
    await listener.connected();
    await cutConnections();
    await expect.poll(backends).toBe(0);
    await listener.connected();
    expect(await backends()).toBe(1);
  });

  test('to a database that stays away rejects those who ask, and comes back by itself', async () => {
    const proxy = await openCuttableProxy(database.url);
    const distant = createListener(proxy.url);
    try {
      const subscriber = subscribe(distant);
      await distant.connected();
      const missed = subscriber.next('missed');
      proxy.cut();
      await missed;
      await expect(distant.connected()).rejects.toThrow();
      await expect(distant.connected()).rejects.toThrow();
      expect(subscriber.received).toEqual(['missed']);
      const back = subscriber.next('missed');
      proxy.mend();
      await back;
      expect(await backends()).toBe(1);
    } finally {
      await distant.close();
      await proxy.close();
    }
  });
});

test('a listener that was closed stays closed', async () => {
  const { received } = subscribe();
  await listener.connected();
  await listener.close();
  await expect(listener.connected()).rejects.toThrow('closed');
  await expect.poll(backends).toBe(0);
  expect(received).toEqual([]);
});
