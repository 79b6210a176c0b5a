import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isDatabaseUnavailable } from '#idempotency/stores/prisma.ts';
import { PrismaClient } from '#prisma';
import { type CuttableProxy, openCuttableProxy } from '#run/testing/cuttable-proxy.ts';
import { createTestDatabase, type TestDatabase, withClient } from '#run/testing/database.ts';
import { findPgBouncer, openPgBouncer } from '#run/testing/pgbouncer.ts';
import { openDatabase } from './database.ts';
import { openPool } from './database-pool.ts';

const connections = 4;

let database: TestDatabase;
let proxy: CuttableProxy;
let pool: pg.Pool;

beforeEach(async () => {
  database = await createTestDatabase();
  proxy = await openCuttableProxy(database.url);
  pool = openPool({
    connectionString: proxy.url,
    max: connections,
    query_timeout: 500,
    connectionTimeoutMillis: 5_000,
  });
});
afterEach(async () => {
  await Promise.all([pool.end(), proxy.close()]);
  await database.drop();
});

/** Opens all connections of the pool, and returns them to it. */
async function fill(): Promise<void> {
  const clients = await Promise.all(Array.from({ length: connections }, () => pool.connect()));
  for (const client of clients) client.release();
  expect(pool.idleCount).toBe(connections);
}

/** More than the pool has connections: none of them may be dead. */
async function expectAllToWork(query: () => Promise<unknown>): Promise<void> {
  for (let round = 0; round < 2 * connections; round += 1) await query();
}

describe('after the database was silent without a reset', () => {
  test('one statement fails in time, and from then on no dead connection is used', async () => {
    await fill();
    proxy.silence();
    const error = await pool.query('SELECT 1').catch((failure: unknown) => failure);
    expect(isDatabaseUnavailable(error)).toBe(true);
    proxy.mend();
    await expectAllToWork(() => pool.query('SELECT 1'));
  });

  test('a transaction of Prisma fails in time, and its connection is not used again', async () => {
    const db = new PrismaClient({ adapter: new PrismaPg(pool) });
    await fill();
    const error = await db
      .$transaction(async (tx) => {
        await tx.$queryRaw`SELECT 1`;
        proxy.silence();
        await tx.$queryRaw`SELECT 1`;
      })
      .catch((failure: unknown) => failure);
    expect(isDatabaseUnavailable(error)).toBe(true);
    proxy.mend();
    await expectAllToWork(() => db.$queryRaw`SELECT 1`);
    await db.$disconnect();
  });
});

test('after one connection was terminated, the idle ones are replaced before they are used', async () => {
  await fill();
  const client = await pool.connect();
  const broken = new Promise<void>((resolve) => client.once('end', resolve));
  await withClient(database.url, (other) =>
    other.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    ),
  );
  // In use, and between two statements: nothing but the pool listens for the error.
  await broken;
  client.release();
  await expectAllToWork(() => pool.query('SELECT 1'));
});

test('a statement that PostgreSQL refuses costs no other connection', async () => {
  await fill();
  await expect(pool.query('SELECT 1 / 0')).rejects.toThrow('division by zero');
  expect(pool.idleCount).toBe(connections - 1);
});

test('statements run under READ COMMITTED, for which they are written, also where the database has another default', async () => {
  const name = new URL(database.url).pathname.slice(1);
  await withClient(database.url, (client) =>
    client.query(`ALTER DATABASE "${name}" SET default_transaction_isolation = 'serializable'`),
  );
  const { rows } = await pool.query('SHOW transaction_isolation');
  expect(rows).toEqual([{ transaction_isolation: 'read committed' }]);
});

describe('times are the same with every time zone and date style of the database', () => {
  async function expectTimes(url: string, pooler: boolean): Promise<void> {
    const name = new URL(database.url).pathname.slice(1);
    await withClient(database.url, async (client) => {
      await client.query(`ALTER DATABASE "${name}" SET TimeZone = 'Asia/Kathmandu'`);
      await client.query(`ALTER DATABASE "${name}" SET DateStyle = 'German'`);
    });
    const db = openDatabase(url, { pooler });
    const given = new Date('2026-11-17T08:30:00.123Z');
    const read = () => db.$queryRaw`
      SELECT to_timestamp(${given.getTime()}::float8 / 1000) AS read, extract(epoch FROM ${given}::timestamptz)::float8 AS written`;
    const expected = [{ read: given, written: given.getTime() / 1000 }];
    // On several connections, which behind a pooler share sessions.
    const responses = await Promise.all(Array.from({ length: 20 }, read));
    for (const rows of responses) expect(rows).toEqual(expected);
    await db.$disconnect();
  }

  test('on a connection of its own', () => expectTimes(database.url, false));

  const program = findPgBouncer();
  test('through PgBouncer (skipped where it cannot be installed)', async ({ skip }) => {
    const found = await program;
    if (!found) return skip();
    const bouncer = await openPgBouncer(found, database.url);
    try {
      await expectTimes(bouncer.url, true);
    } finally {
      await bouncer.close();
    }
  });
});
