import { randomUUID } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { type IdempotencyStore, operationRefOf, reap } from '#idempotency/index.ts';
import { createPostgresStore } from '#idempotency/stores/postgres.ts';
import { createPrismaDriver } from '#idempotency/stores/prisma.ts';
import { PrismaClient } from '#prisma';
import { applyMigrations } from '#run/migrate.ts';
import { startScratchPostgres } from '#run/scratch-postgres.ts';
import { print, runCommand } from '#run/terminal.ts';
import { checkTarget, exitWithResult, percentile, printMachine, spread } from './figures.ts';

const help = `npm run measure:reaper [-- rows]
What the reaper costs: how long a claim takes with and without the reaper running on a million rows that are due.`;

const calmMs = 15_000;
const claimers = 4;

type Store = IdempotencyStore<unknown>;

await runCommand(help, async ([count = '1000000']) => {
  const server = await startScratchPostgres({ durable: true });
  const url = server.url('postgres');
  const open = () => new PrismaClient({ adapter: new PrismaPg({ connectionString: url, max: claimers }) });
  // Two processes: claims in the app, the reaper in the worker. They share only the database.
  const [app, worker] = [open(), open()];
  try {
    printMachine();
    await applyMigrations(url);
    await load(url, Number(count));
    const store = createPostgresStore(createPrismaDriver(app));
    await claimFor(store, 2_000);
    const alone = await claimFor(store, calmMs);
    print(`claims without the reaper: ${spread(alone)}`);

    const reaping = reapAll(createPostgresStore(createPrismaDriver(worker)));
    const beside = await claimUntil(store, reaping);
    for (const [kind, { rows, seconds }] of Object.entries(await reaping)) {
      print(`${kind}: ${rows} rows in ${seconds.toFixed(1)} s, ${Math.round(rows / seconds)} rows/s`);
    }
    print(`claims beside the reaper:  ${spread(beside)}`);
    const ratio = percentile(beside, 50) / percentile(alone, 50);
    const tail = percentile(beside, 99) / percentile(alone, 99);
    const figure = `p50 × ${ratio.toFixed(2)}, p99 × ${tail.toFixed(2)}`;
    checkTarget('a claim beside the reaper', figure, ratio < 2, 'p50 less than doubled');
    printMachine();
  } finally {
    await Promise.all([app.$disconnect(), worker.$disconnect()]);
    await server.stop();
  }
  exitWithResult();
});

/** A tenth is due to lose its body and to expire, the rest to be deleted. Triggers are off: rows are inserted in their final state. */
async function load(url: string, count: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('SET session_replication_role = replica');
  await client.query(
    `INSERT INTO idempotency_record (id, tenant_id, operation, key, fingerprint, fingerprint_version, principal, status,
       recovery_point, response_status, response_body, response_key_id, response_schema_version, body_purged_at,
       completed_at, expires_at, body_purge_at, delete_at, transition_actor, transition_cause)
     SELECT gen_random_uuid(), 'measure', 'measure.reaper', 'key-of-an-old-payment-' || n, repeat('f', 64), 1, 'api',
       CASE WHEN n % 10 = 0 THEN 'completed' ELSE 'expired' END, 'finished', 201,
       CASE WHEN n % 10 = 0 THEN convert_to(repeat('x', 400), 'UTF8') END, 'k1', 1,
       CASE WHEN n % 10 = 0 THEN NULL ELSE now() END,
       now() - interval '100 days', now() - interval '99 days', now() - interval '99 days', now() - interval '9 days',
       'owner', 'provider_succeeded'
     FROM generate_series(1, $1::int) n`,
    [count],
  );
  await client.query('VACUUM ANALYZE idempotency_record');
  await client.end();
  print(`${count} rows are due`);
}

type Reaped = Record<'purge_body' | 'expire' | 'delete', { rows: number; seconds: number }>;

/** As in the worker: the same batches, one after the other, until nothing is due. */
async function reapAll(store: Store): Promise<Reaped> {
  const total: Reaped = {
    purge_body: { rows: 0, seconds: 0 },
    expire: { rows: 0, seconds: 0 },
    delete: { rows: 0, seconds: 0 },
  };
  // Timed at the store, so that each kind has its own figure.
  const timed: Store = {
    ...store,
    async reap(kind, limit) {
      const begun = performance.now();
      const rows = await store.reap(kind, limit);
      total[kind].rows += rows;
      total[kind].seconds += (performance.now() - begun) / 1_000;
      return rows;
    },
  };
  for (;;) {
    const reaped = await reap(timed);
    if (Object.values(reaped).every((rows) => rows === 0)) return total;
  }
}

async function claimFor(store: Store, ms: number): Promise<number[]> {
  return claimUntil(store, new Promise((resolve) => setTimeout(resolve, ms)));
}

async function claimUntil(store: Store, end: Promise<unknown>): Promise<number[]> {
  let over = false;
  const ended = end.finally(() => {
    over = true;
  });
  const times: number[] = [];
  await Promise.all(
    Array.from({ length: claimers }, async () => {
      while (!over) {
        const begun = performance.now();
        const scope = { tenantId: 'measure', operation: 'measure.reaper', key: randomUUID() };
        await store.claim({
          ...scope,
          ...operationRefOf(scope),
          ...{
            fingerprint: 'f',
            fingerprintVersion: 1,
            fieldDigests: { amountMinor: 'd', currency: 'd', paymentMethod: 'd', reference: 'd' },
            principal: 'measure',
            leaseMs: 600_000,
            effectSent: false,
          },
        });
        times.push(performance.now() - begun);
      }
    }),
  );
  await ended;
  return times;
}
