import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { recordEvent } from './events/record-event.ts';
import type { Work } from './http/response.ts';
import { insertCharge } from './payments/charge.ts';
import { type IntentRow, insertIntent, updateIntent } from './payments/intent.ts';
import { intentObject } from './payments/intent-object.ts';
import { Changes } from './store/changes.ts';
import type { KeyRow } from './store/commit-statement.ts';
import { Committer } from './store/committer.ts';
import { openPool, type Pool } from './store/database.ts';
import { RowReader } from './store/read-rows.ts';
import { CARD_ONLY, chargesOf, type Harness, openHarness } from './testing/harness.ts';

/*
 * Commits that are started in the same turn of the event loop share a statement. These tests count the statements, so that
 * they fail if nothing was shared.
 */

let harness: Harness;
let pool: Pool;
let committer: Committer;
let inspector: pg.Client;
beforeAll(async () => {
  harness = await openHarness();
  pool = openPool(harness.database.url, () => {});
  committer = new Committer(pool, { deliveriesAdded() {}, processingStarted() {} });
  inspector = new pg.Client({ connectionString: harness.database.url, application_name: 'inspector' });
  await inspector.connect();
});
afterAll(async () => {
  await inspector.end();
  await pool.end();
  await harness.close();
});

function newWork(): Work {
  return {
    db: pool,
    reader: new RowReader(pool),
    changes: new Changes(),
    ...{ requestId: 'req_1', idempotencyKey: null, apiVersion: '2026-01-28', nowMs: Date.now() },
  };
}

function newIntent(work: Work): IntentRow {
  const intent = insertIntent(work, {
    ...{ status: 'requires_confirmation', amount: 700, currency: 'usd', payment_method: 'pm_card_visa' },
    ...{
      payment_method_types: ['card'],
      allowed_payment_method_types: null,
      automatic_payment_methods: null,
    },
    ...{ capture_method: 'automatic_async', metadata: {}, description: null, receipt_email: null },
    ...{ statement_descriptor: null, statement_descriptor_suffix: null, return_url: null },
  });
  recordEvent(work, 'payment_intent.created', intentObject(intent), intent);
  return intent;
}

function keyRow(key: string): KeyRow {
  return {
    ...{ key, endpoint: '/v1/payment_intents', fingerprint: 'f', original_request: 'req_1' },
    ...{ status: 200, body: '{}', resets_left: 0, created_ms: Date.now() },
  };
}

/** A commit of one new intent, under its own key. */
function creation() {
  const work = newWork();
  const intent = newIntent(work);
  const key = keyRow(randomUUID());
  return { intent, key, commit: () => committer.commit(work.changes, key) };
}

/** A commit that changes an intent from the version that was stored first. */
function update(intent: IntentRow, description: string) {
  const work = newWork();
  updateIntent(work, { ...intent, version: 1 }, { description });
  return () => committer.commit(work.changes);
}

async function storedIntents(intents: IntentRow[]): Promise<string[]> {
  const { rows } = await inspector.query<{ id: string }>(
    'SELECT id FROM payment_intents WHERE id = ANY ($1) ORDER BY sequence',
    [intents.map(({ id }) => id)],
  );
  return rows.map(({ id }) => id);
}

/** What the commits return, and how many statements they take. */
async function together(commits: Array<() => Promise<boolean>>) {
  const query = vi.spyOn(pool, 'query');
  const results = await Promise.allSettled(commits.map((commit) => commit()));
  const statements = query.mock.calls.length;
  query.mockRestore();
  return {
    statements,
    results: results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.code)),
  };
}

describe('commits that share a statement', () => {
  test('are written by it with their keys, events and rows', async () => {
    const all = Array.from({ length: 20 }, creation);
    expect(await together(all.map(({ commit }) => commit))).toEqual({
      statements: 1,
      results: all.map(() => true),
    });
    const ids = all.map(({ intent }) => intent.id);
    expect(await storedIntents(all.map(({ intent }) => intent))).toEqual(ids);
    const { rows } = await inspector.query(
      `SELECT (SELECT count(*)::int FROM events WHERE payment_intent = ANY ($1)) AS events,
         (SELECT count(*)::int FROM idempotency_keys WHERE key = ANY ($2)) AS keys`,
      [ids, all.map(({ key }) => key.key)],
    );
    expect(rows).toEqual([{ events: 20, keys: 20 }]);
  });

  test('a row that the database refuses fails its own request, and its neighbours are committed', async () => {
    const [before, after] = [creation(), creation()];
    const work = newWork();
    const intent = newIntent(work);
    insertCharge(work, intent, { status: 'succeeded' });
    insertCharge(work, intent, { status: 'succeeded' });
    const bad = () => committer.commit(work.changes, keyRow(randomUUID()));
    const { results, statements } = await together([before.commit, bad, after.commit]);
    expect(results).toEqual([true, '23505', true]);
    // The shared one, and then each by itself.
    expect(statements).toBe(4);
    expect(await storedIntents([before.intent, intent, after.intent])).toEqual([
      before.intent.id,
      after.intent.id,
    ]);
  });

  test('a key that is stored and a row that has changed refuse their own requests alone', async () => {
    const [stored, changed] = [creation(), creation()];
    await together([stored.commit, changed.commit]);
    expect(await update(changed.intent, 'first')()).toBe(true);
    const [before, after] = [creation(), creation()];
    const sameKey = newWork();
    const second = newIntent(sameKey);
    expect(
      await together([
        before.commit,
        () => committer.commit(sameKey.changes, stored.key),
        update(changed.intent, 'second'),
        after.commit,
      ]),
    ).toEqual({ statements: 1, results: [true, false, false, true] });
    expect(await storedIntents([before.intent, second, after.intent])).toEqual([
      before.intent.id,
      after.intent.id,
    ]);
    const { rows } = await inspector.query('SELECT description FROM payment_intents WHERE id = $1', [
      changed.intent.id,
    ]);
    expect(rows).toEqual([{ description: 'first' }]);
  });

  test('one of several with the same key is written', async () => {
    const [first, second, neighbour] = [creation(), creation(), creation()];
    const work = newWork();
    const third = newIntent(work);
    const { results, statements } = await together([
      first.commit,
      () => committer.commit(work.changes, first.key),
      neighbour.commit,
      second.commit,
    ]);
    expect(results).toEqual([true, false, true, true]);
    expect(statements).toBe(2);
    expect(await storedIntents([first.intent, third])).toEqual([first.intent.id]);
  });

  test('one of several about the same intent is written, and the others read again', async () => {
    const { intent, commit } = creation();
    await commit();
    const { results, statements } = await together([
      update(intent, 'first'),
      update(intent, 'second'),
      update(intent, 'third'),
    ]);
    expect(results).toEqual([true, false, false]);
    expect(statements).toBe(3);
  });
});

describe('a statement that does not end', () => {
  const create = () =>
    harness.stripe.paymentIntents.create({
      ...CARD_ONLY,
      amount: 700,
      currency: 'usd',
      payment_method: 'pm_card_visa',
    });
  const confirm = (id: string, idempotencyKey: string) =>
    harness.stripe.paymentIntents.confirm(id, {}, { idempotencyKey, timeout: 20_000 });

  /** The sessions that commit confirms and wait for the inspector. */
  async function blockedSessions(): Promise<number[]> {
    // Within a transaction the list of sessions is read once and kept.
    await inspector.query('SELECT pg_stat_clear_snapshot()');
    const { rows } = await inspector.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity
       WHERE datname = current_database() AND pg_backend_pid() = ANY (pg_blocking_pids(pid))
         AND query LIKE 'WITH locked_intents%'`,
    );
    return rows.map(({ pid }) => pid);
  }

  test('and whose connection is lost commits nothing of any request, and each can be retried with its key', async () => {
    const intents = await Promise.all(Array.from({ length: 8 }, create));
    const keys = new Map(intents.map(({ id }) => [id, randomUUID()]));
    const confirmAll = () => intents.map(({ id }) => confirm(id, keys.get(id) as string));
    await inspector.query('BEGIN');
    await inspector.query('LOCK TABLE events IN EXCLUSIVE MODE');
    const interrupted = Promise.allSettled(confirmAll());
    const terminated = new Set<number>();
    let ended = false;
    void interrupted.then(() => {
      ended = true;
    });
    const terminate = async () => {
      for (const session of await blockedSessions()) {
        await inspector.query('SELECT pg_terminate_backend($1)', [session]);
        terminated.add(session);
      }
      return ended;
    };
    try {
      await expect.poll(terminate, { timeout: 15_000 }).toBe(true);
    } finally {
      await inspector.query('ROLLBACK');
    }
    // Fewer sessions than requests: some of them shared a statement.
    expect(terminated.size).toBeGreaterThan(0);
    expect(terminated.size).toBeLessThan(intents.length);
    const statuses = (await interrupted).map((result) =>
      result.status === 'rejected' ? result.reason.statusCode : 200,
    );
    expect(statuses).toEqual(intents.map(() => 500));
    for (const { id } of intents) expect(await chargesOf(harness, id)).toEqual([]);
    for (const paid of await Promise.all(confirmAll())) expect(paid.status).toBe('succeeded');
    for (const { id } of intents) expect(await chargesOf(harness, id)).toHaveLength(1);
  });

  test('because of a locked row holds up no other request', async () => {
    const [locked, free] = [await create(), await create()];
    await inspector.query('BEGIN');
    await inspector.query('SELECT 1 FROM payment_intents WHERE id = $1 FOR UPDATE', [locked.id]);
    const waiting = confirm(locked.id, randomUUID());
    try {
      await expect.poll(blockedSessions, { timeout: 15_000 }).toHaveLength(1);
      expect((await confirm(free.id, randomUUID())).status).toBe('succeeded');
      expect(await chargesOf(harness, locked.id)).toEqual([]);
    } finally {
      await inspector.query('ROLLBACK');
    }
    expect((await waiting).status).toBe('succeeded');
  });
});
