import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createStripeProvider } from '#payments/index.ts';
import { openRawProvider, type RawProvider, response, returnUrl } from '#payments/testing/raw-provider.ts';
import { PrismaClient } from '#prisma';
import { type OpenDatabase, openTestDatabase } from '#run/testing/open-database.ts';
import { createReadiness } from './health.ts';

let database: OpenDatabase;
let raw: RawProvider;
beforeAll(async () => {
  [database, raw] = await Promise.all([openTestDatabase(), openRawProvider()]);
  raw.respond = (socket) => socket.write(response(200, { object: 'list', data: [], has_more: false }));
});
afterAll(() => Promise.all([database.close(), raw.close()]));

function open(baseUrl = raw.url, db = database.db) {
  let now = 0;
  const provider = createStripeProvider({ secretKey: 'sk_test_x', baseUrl, timeoutMs: 1_000, returnUrl });
  const readiness = createReadiness({ db, provider }, () => now);
  return { readiness, letPass: (ms: number) => (now += ms) };
}

test('a process is ready when its database responds and is migrated; the provider and the workers are only reported', async () => {
  const gone = await openRawProvider();
  await gone.close();
  expect(await open(gone.url).readiness()).toEqual({
    ready: true,
    checks: {
      database: 'ok',
      provider: 'The payment provider does not respond.',
      worker: 'No worker has reported in the last 15 seconds.',
    },
  });
});

test('a database without the newest migration is not ready', async () => {
  await database.db.$transaction(async (tx) => {
    const [last] = await tx.$queryRaw<{ id: string }[]>`
      UPDATE _prisma_migrations SET finished_at = NULL
      WHERE id = (SELECT id FROM _prisma_migrations ORDER BY started_at DESC LIMIT 1) RETURNING id`;
    expect(last).toBeDefined();
  });
  expect(await open().readiness()).toMatchObject({ ready: false });
  await database.db.$executeRaw`UPDATE _prisma_migrations SET finished_at = now()`;
  expect(await open().readiness()).toMatchObject({ ready: true });
});

test('a database that takes no writes, such as a primary that was demoted, is not ready', async () => {
  const url = new URL(database.url);
  url.searchParams.set('options', '-c default_transaction_read_only=on');
  const pool = new pg.Pool({ connectionString: url.href });
  const db = new PrismaClient({ adapter: new PrismaPg(pool, { disposeExternalPool: true }) });
  expect(await open(raw.url, db).readiness()).toMatchObject({
    ready: false,
    checks: { database: 'The database does not respond, takes no writes, or is not migrated.' },
  });
  await db.$disconnect();
});

test('however often it is asked, the provider is called once in five seconds', async () => {
  raw.requests.length = 0;
  const { readiness, letPass } = open();
  await Promise.all(Array.from({ length: 300 }, () => readiness()));
  letPass(5_000);
  await readiness();
  expect(raw.requests).toHaveLength(1);
  letPass(1);
  await readiness();
  expect(raw.requests).toHaveLength(2);
});
