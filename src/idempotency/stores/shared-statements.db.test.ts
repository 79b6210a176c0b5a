import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase, withClient } from '#run/testing/database.ts';
import { operationRefOf } from '../operation-id.ts';
import { type IdempotencyStore, StoreUnavailable } from '../ports.ts';
import type { OperationRecord } from '../record.ts';
import { type RowStatement, rowWrite } from '../row-statement.ts';
import { createCrowdedStore } from '../testing/crowded-store.ts';
import { claim, describeStoreContract, granted, transition } from '../testing/store-contract.ts';
import { createPgDriver, storePoolSettings } from './pg-driver.ts';
import { createPostgresStore, type SqlDriver } from './postgres.ts';

type Tx = pg.PoolClient;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ template: 'app' });
  await withClient(database.url, (client) =>
    client.query('CREATE TABLE effect (tenant_id text, id uuid, amount bigint CHECK (amount > 0))'),
  );
});
afterAll(() => database.drop());

/** As a process has it. `rows` are the numbers of rows of its statements. */
function openProcess(url = database.url) {
  const pool = new pg.Pool({ connectionString: url, max: 6, ...storePoolSettings });
  pool.on('error', () => undefined);
  const driver = createPgDriver(pool);
  const rows: number[] = [];
  const counting: SqlDriver<Tx> = {
    ...driver,
    query(statement) {
      rows.push(Math.max(...statement.values.map((value) => (Array.isArray(value) ? value.length : 0))));
      return driver.query(statement);
    },
  };
  return { store: createPostgresStore(counting), rows, close: () => pool.end() };
}

describeStoreContract('PostgreSQL, every statement shared with neighbours', async () => {
  const { store, rows, close } = openProcess();
  return {
    store: createCrowdedStore(store),
    async close() {
      await close();
      expect(rows.filter((count) => count > 1).length).toBeGreaterThan(rows.length / 3);
    },
  };
});

const effect: RowStatement<{ amount: number }> = {
  name: 'test effect',
  columns: { amount: 'bigint' },
  sql: `made AS (INSERT INTO effect SELECT tenant_id, record_id, amount FROM rows)`,
};

async function claimMany(store: IdempotencyStore<Tx>, count: number): Promise<OperationRecord[]> {
  return Promise.all(Array.from({ length: count }, async () => granted(await store.claim(claim()))));
}

const complete = (store: IdempotencyStore<Tx>, record: OperationRecord, amount = 1) =>
  store.transition(transition(record, 'completed'), rowWrite(effect, { amount }));

async function effectsOf(records: readonly OperationRecord[]): Promise<number[]> {
  return withClient(database.url, async (client) => {
    const { rows } = await client.query<{ id: string }>('SELECT id FROM effect WHERE id = ANY ($1)', [
      records.map(({ id }) => id),
    ]);
    return records.map(({ id }) => rows.filter((row) => row.id === id).length);
  });
}

async function statusesOf(store: IdempotencyStore<Tx>, records: readonly OperationRecord[]) {
  return Promise.all(records.map(async (record) => (await store.findById(record))?.status));
}

describe('in a shared statement, no row harms a neighbour', () => {
  test('a row that the database refuses fails its own caller alone, and leaves nothing', async () => {
    const { store, rows, close } = openProcess();
    const records = await claimMany(store, 12);
    rows.length = 0;
    const results = await Promise.allSettled(
      records.map((record, index) => complete(store, record, index === 7 ? -1 : 1)),
    );
    const wanted = records.map((_, index) => index !== 7);
    expect(rows[0]).toBe(12);
    expect(results.map(({ status }) => status === 'fulfilled')).toEqual(wanted);
    expect(await effectsOf(records)).toEqual(wanted.map(Number));
    expect(await statusesOf(store, records)).toEqual(wanted.map((ok) => (ok ? 'completed' : 'in_progress')));
    await close();
  });

  test('a superseded owner gets false, and the others their completion', async () => {
    const { store, rows, close } = openProcess();
    const records = await claimMany(store, 10);
    const stale = { ...records[3], attempt: 2 } as OperationRecord;
    rows.length = 0;
    const results = await Promise.all(
      records.map((record, index) => complete(store, index === 3 ? stale : record)),
    );
    expect(rows).toEqual([10]);
    expect(results).toEqual(records.map((_, index) => index !== 3));
    expect(await effectsOf(records)).toEqual(results.map(Number));
    await close();
  });

  test('a row that another transaction has locked delays its own caller, who can try again', async () => {
    const { store, close } = openProcess();
    const records = await claimMany(store, 6);
    const locker = new pg.Client({ connectionString: database.url });
    await locker.connect();
    await locker.query('BEGIN');
    await locker.query('SELECT FROM idempotency_record WHERE id = $1 FOR UPDATE', [records[2]?.id]);
    const results = await Promise.allSettled(records.map((record) => complete(store, record)));
    await locker.query('ROLLBACK');
    await locker.end();
    expect(results.map(({ status }) => status === 'fulfilled')).toEqual(records.map((_, n) => n !== 2));
    expect(await complete(store, records[2] as OperationRecord)).toBe(true);
    expect(await effectsOf(records)).toEqual(records.map(() => 1));
    await close();
  });

  test('a connection that is killed makes every caller’s outcome unknown, and each row was written wholly or not at all', async () => {
    const { store, close } = openProcess();
    const records = await claimMany(store, 12);
    // The statement waits for the last row's lock, with the others written and not committed.
    const locker = new pg.Client({ connectionString: database.url });
    await locker.connect();
    await locker.query('BEGIN');
    await locker.query('SELECT FROM idempotency_record WHERE id = ANY ($1) FOR UPDATE', [
      [
        records
          .map(({ id }) => id)
          .toSorted()
          .at(-1),
      ],
    ]);
    const completing = Promise.allSettled(records.map((record) => complete(store, record)));
    await killWaiting(locker);
    const results = await completing;
    await locker.query('ROLLBACK');
    await locker.end();
    for (const result of results) {
      expect(result).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailable) });
    }
    const statuses = await statusesOf(store, records);
    expect(await effectsOf(records)).toEqual(statuses.map((status) => (status === 'completed' ? 1 : 0)));
    expect(await Promise.all(records.map((record) => complete(store, record)))).toEqual(
      statuses.map((status) => status === 'in_progress'),
    );
    expect(await effectsOf(records)).toEqual(records.map(() => 1));
    await close();
  });

  test('a process that is frozen in the middle of a shared statement holds up no other process', async () => {
    const frozen = openProcess();
    const other = openProcess();
    const records = await claimMany(frozen.store, 8);
    const [held, ...rest] = records as [OperationRecord, ...OperationRecord[]];
    // Frozen with a transaction open: it has its row locked, and neither commits nor reads.
    const transaction = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const frozenCompletion = frozen.store.transition(transition(held, 'completed'), async () => {
      locked.resolve();
      await transaction.promise;
    });
    await locked.promise;
    const results = await Promise.allSettled([held, ...rest].map((record) => complete(other.store, record)));
    expect(results.map(({ status }) => status)).toEqual(['rejected', ...rest.map(() => 'fulfilled')]);
    expect(await effectsOf(rest)).toEqual(rest.map(() => 1));
    transaction.resolve();
    expect(await frozenCompletion).toBe(true);
    expect(await complete(other.store, held)).toBe(false);
    await Promise.all([frozen.close(), other.close()]);
  });

  test('two processes that complete the same records at once write each of them once', async () => {
    const [one, other] = [openProcess(), openProcess()];
    const records = await claimMany(one.store, 60);
    const backwards = records.toReversed();
    const [first, second] = await Promise.all([
      Promise.all(records.map((record) => complete(one.store, record))),
      Promise.all(backwards.map((record) => complete(other.store, record))),
    ]);
    expect(records.map((_, index) => Number(first[index]) + Number(second.toReversed()[index]))).toEqual(
      records.map(() => 1),
    );
    expect(await effectsOf(records)).toEqual(records.map(() => 1));
    await Promise.all([one.close(), other.close()]);
  });

  test('the same key twice in one moment is granted once, among callers with other keys', async () => {
    const { store, rows, close } = openProcess();
    const scope = { tenantId: 'acme', operation: 'test.run', key: randomUUID() };
    const same = claim({ ...scope, ...operationRefOf(scope) });
    const claimed = await Promise.all([claim(), same, claim(), same, same].map((one) => store.claim(one)));
    expect(rows[0]).toBe(3);
    expect(claimed.filter((one) => one?.granted)).toHaveLength(3);
    await close();
  });
});

/** Ends the backend that waits for a lock of this session's. */
async function killWaiting(locker: pg.Client): Promise<void> {
  for (;;) {
    const { rowCount } = await locker.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pg_backend_pid() = ANY (pg_blocking_pids(pid))`,
    );
    if (rowCount) return;
  }
}
