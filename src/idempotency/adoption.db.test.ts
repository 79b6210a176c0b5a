import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { PrismaClient } from '#prisma';
import { createPgDriver, createPostgresStore } from './stores/postgres.ts';
import { createPrismaDriver } from './stores/prisma.ts';
import { describeCheckQueueContract } from './testing/check-queue-contract.ts';
import { createEngineDatabase } from './testing/engine-database.ts';
import { openEmptyCheckQueue } from './testing/postgres-check-queue.ts';
import { type Carrier, createShippingApp } from './testing/sample-app.ts';
import { describeStoreContract } from './testing/store-contract.ts';

// An application that takes the engine, and nothing else of this repository, into a database of its own.

let database: Awaited<ReturnType<typeof createEngineDatabase>>;
beforeAll(async () => {
  database = await createEngineDatabase();
});
afterAll(() => database.close());

describeStoreContract('PostgreSQL through pg, with the engine’s migration alone', async () => {
  const pool = new pg.Pool({ connectionString: database.url, max: 5 });
  return { store: createPostgresStore(createPgDriver(pool)), close: () => pool.end() };
});

describeStoreContract('PostgreSQL through a Prisma client that was extended', async () => {
  const extended = database.open().$extends({ client: { $shop: () => 'acme' } });
  const store = createPostgresStore(createPrismaDriver(extended));
  // The transaction is the extended client's own.
  void (async (tx: Parameters<Parameters<typeof extended.$transaction>[0]>[0]) => tx.$queryRaw`SELECT 1`);
  return { store, close: async () => undefined };
});

describeCheckQueueContract('PostgreSQL with the engine’s migration alone', () =>
  openEmptyCheckQueue(database.open(), database.open()),
);

describe('the application of the README', () => {
  /** The carrier's own books, by the reference it was given. */
  const shipped = new Map<string, string>();
  const carrier = {
    ship: vi.fn<Carrier['ship']>(),
    find: vi.fn<Carrier['find']>(async (reference) => shipped.get(reference)),
  };
  let app: ReturnType<typeof createShippingApp>;
  let server: Awaited<ReturnType<typeof listen>>;
  let api: ReturnType<(typeof app)['createApi']>;

  let db: PrismaClient;

  beforeAll(async () => {
    db = database.open();
    app = createShippingApp({
      databaseUrl: database.url,
      db,
      thirtyTwoBytes: randomBytes(32),
      carrier,
      callerOf: () => ({ tenantId: 'acme', principal: 'alice' }),
    });
    const { router, createContext } = app;
    server = await listen((req) =>
      new URL(req.url).pathname.startsWith('/trpc')
        ? fetchRequestHandler({ endpoint: '/trpc', req, router, createContext })
        : app.postShipment(req),
    );
    api = app.createApi(`${server.url}/trpc`);
  });
  afterAll(async () => {
    server.close();
    await app.close();
  });
  beforeEach(() => {
    carrier.ship.mockReset().mockImplementation(async (item, reference) => {
      const label = shipped.get(reference) ?? `label for ${item}`;
      shipped.set(reference, label);
      return label;
    });
  });

  const call = (key: string, item = 'kettle') =>
    api.ship.mutate({ item }, { context: { idempotencyKey: key } });

  test('ten simultaneous calls ship once; a retry gets the stored result, and the status says so', async () => {
    const key = randomUUID();
    const calls = await Promise.allSettled(Array.from({ length: 10 }, () => call(key)));
    for (const outcome of calls) {
      if (outcome.status === 'fulfilled') expect(outcome.value).toEqual({ label: 'label for kettle' });
      else expect(outcome.reason).toMatchObject({ data: { problem: 'idempotency_key_in_progress' } });
    }
    expect(await call(key)).toEqual({ label: 'label for kettle' });
    expect(carrier.ship).toHaveBeenCalledTimes(1);
    expect(await api.status.query({ key })).toMatchObject({
      status: 'completed',
      result: { label: 'label for kettle' },
    });
  });

  test('a lost response is pending, the background finds the label, and a retry gets it', async () => {
    const key = randomUUID();
    carrier.ship.mockImplementationOnce(async (item, reference) => {
      shipped.set(reference, `label for ${item}`);
      throw new Error('carrier hung up');
    });
    expect(await call(key)).toMatchObject({ status: 'pending', code: 'operation_unknown' });
    expect(await api.status.query({ key })).toMatchObject({ status: 'unknown' });
    await makeChecksDue();
    await app.runOnce();
    expect(await call(key)).toEqual({ label: 'label for kettle' });
    expect(carrier.ship).toHaveBeenCalledTimes(1);
  });

  test('what the carrier never finds is checked as often as the schedule says, and then escalated', async () => {
    carrier.ship.mockRejectedValueOnce(new Error('carrier hung up'));
    const key = randomUUID();
    await call(key);
    carrier.find.mockClear();
    for (let round = 0; round < 5; round += 1) {
      await makeChecksDue();
      await app.runOnce();
    }
    expect(carrier.find).toHaveBeenCalledTimes(3);
    expect(await api.status.query({ key })).toMatchObject({ status: 'unknown' });
  });

  test('the route over fetch ships once and replays byte for byte', async () => {
    const key = randomUUID();
    const post = async () => {
      const response = await fetch(`${server.url}/shipments`, {
        method: 'POST',
        headers: { 'Idempotency-Key': key },
        body: JSON.stringify({ item: 'kettle' }),
      });
      return {
        status: response.status,
        replayed: response.headers.get('idempotent-replayed'),
        text: await response.text(),
      };
    };
    const [first, second] = [await post(), await post()];
    expect(first).toEqual({ status: 201, replayed: null, text: '{"label":"label for kettle"}' });
    expect(second).toEqual({ ...first, replayed: 'true' });
    expect(carrier.ship).toHaveBeenCalledTimes(1);
  });

  async function makeChecksDue(): Promise<void> {
    await db.$executeRaw`
      UPDATE idempotency_record SET next_check_at = next_check_at - interval '1 day',
        scheduled_check_at = scheduled_check_at - interval '1 day' WHERE status = 'unknown'`;
  }
});

/** A server of Node that answers with what a route of the fetch API returns. */
async function listen(respond: (request: Request) => Promise<Response>) {
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
      method: incoming.method ?? 'GET',
      headers: incoming.headers as Record<string, string>,
      ...(body.length > 0 && { body }),
    });
    const response = await respond(request);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(await response.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
