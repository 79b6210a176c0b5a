import { createTRPCClient, httpBatchLink, httpLink, splitLink } from '@trpc/client';
import { initTRPC } from '@trpc/server';
import type { FetchCreateContextFnOptions } from '@trpc/server/adapters/fetch';
import pg from 'pg';
import { z } from 'zod';
import type { Prisma, PrismaClient } from '#prisma';
import { createFetchAdapter } from '../adapters/fetch.ts';
import { idempotent, ProblemError } from '../adapters/trpc.ts';
import { pauseAfter } from '../check-schedule.ts';
import { createEngine } from '../engine.ts';
import type { OperationDefinition } from '../operation.ts';
import { operationRefOf } from '../operation-id.ts';
import { reap } from '../reaper.ts';
import { readBody } from '../response-body.ts';
import { createResponseCipher } from '../response-cipher.ts';
import { type RowStatement, rowWrite } from '../row-statement.ts';
import {
  createListener,
  createPostgresCheckQueue,
  createPostgresSignal,
  createPostgresStore,
  storePoolSettings,
} from '../stores/postgres.ts';
import { createCombinedDriver } from '../stores/prisma.ts';

export interface Carrier {
  /** The reference is the carrier's own idempotency key. */
  ship(item: string, reference: string): Promise<string>;
  find(reference: string): Promise<string | undefined>;
}

export type ShippingRouter = ReturnType<typeof createShippingApp>['router'];

/**
 * The samples of the engine's README, put together: `readme.test.ts` compares the two, `adoption.db.test.ts` runs this on a
 * database that has nothing but the engine's tables.
 */
export function createShippingApp({
  databaseUrl,
  db,
  thirtyTwoBytes,
  carrier,
  callerOf,
}: {
  readonly databaseUrl: string;
  readonly db: PrismaClient;
  readonly thirtyTwoBytes: Uint8Array;
  readonly carrier: Carrier;
  callerOf(request: Request): { tenantId: string; principal: string };
}) {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 6, ...storePoolSettings });
  const driver = createCombinedDriver(pool, db); // or createPgDriver(pool), or createPrismaDriver(db)
  const store = createPostgresStore(driver);
  const listener = createListener(databaseUrl);
  const engine = createEngine({
    store,
    signal: createPostgresSignal(listener), // optional: lets requests wait for a running duplicate
    cipher: createResponseCipher([{ id: '2026-11', key: thirtyTwoBytes }]),
    leaseMs: 30_000,
  });

  const day = 86_400_000;
  const shipOrder: OperationDefinition<Prisma.TransactionClient> = {
    name: 'order.ship',
    apiVersion: '1',
    recoveryPoints: { claimed: 'unsent', label_sent: 'sent' },
    retention: { replayMs: day, bodyMs: day, metadataMs: 90 * day },
    checks: { firstInMs: 5_000, pausesMs: [15_000, 60_000] },
    retryAfterSeconds: 1,
    responseSchemaVersion: 1,
  };

  const createContext = ({ req, resHeaders, info }: FetchCreateContextFnOptions) => ({
    caller: callerOf(req), // { tenantId, principal }
    idempotency: {
      engine,
      key: req.headers.get('idempotency-key'),
      callCount: info.calls.length,
      responseHeaders: resHeaders,
    },
  });
  const t = initTRPC.context<typeof createContext>().create({
    errorFormatter: ({ shape, error }) => ({
      ...shape,
      data: { ...shape.data, problem: error instanceof ProblemError ? error.problem.spec.code : null },
    }),
  });
  const router = t.router({
    ship: t.procedure
      .input(z.object({ item: z.string(), express: z.boolean().default(false) }))
      .use(idempotent(shipOrder)) // after the input parsers
      .mutation(({ ctx, input }) =>
        ctx.once(async (execution) => {
          await execution.phase('label_sent'); // committed before the request to the carrier leaves
          return { label: await carrier.ship(input.item, execution.operationId) };
        }),
      ),
    /** What became of the shipment under a key, for a page that got no response. */
    status: t.procedure.input(z.object({ key: z.string() })).query(async ({ ctx, input }) => {
      const { tenantId, principal } = ctx.caller;
      const ref = operationRefOf({ tenantId, operation: shipOrder.name, key: input.key });
      const record = await store.findById(ref);
      if (record?.principal !== principal) return { status: 'none' as const };
      const response = engine.storedResponse(shipOrder, record);
      const result = response && (readBody(response.body) as { label: string });
      return { status: record.status, operationId: record.id, result: result ?? null };
    }),
  });

  const createApi = (url: string) =>
    createTRPCClient<typeof router>({
      links: [
        splitLink({
          condition: ({ context }) => typeof context.idempotencyKey === 'string',
          true: httpLink({
            url,
            headers: ({ op }) => ({ 'Idempotency-Key': String(op.context.idempotencyKey) }),
          }),
          false: httpBatchLink({ url }),
        }),
      ],
    });

  const handle = createFetchAdapter(engine, {
    problem: (code) => `https://shop.example/problems/${code}`,
    operation: (id) => `https://shop.example/operations/${id}`,
  });

  async function postShipment(request: Request): Promise<Response> {
    const input = z.object({ item: z.string() }).parse(await request.json());
    const keyHeader = request.headers.get('idempotency-key');
    return handle(shipOrder, { ...callerOf(request), keyHeader, input }, async (execution) => {
      await execution.phase('label_sent');
      const label = await carrier.ship(input.item, execution.operationId);
      return { kind: 'completed', status: 201, body: { label }, cause: 'shipped' };
    });
  }

  const queue = createPostgresCheckQueue(driver);

  async function runOnce(): Promise<void> {
    for await (const record of queue.expiredLeases()) {
      await engine.expireLease(shipOrder, record, 'sweeper');
    }
    for (const record of await queue.take(20, 60_000)) {
      const label = await carrier.find(record.id);
      if (label) {
        const verdict = { kind: 'completed', status: 200, body: { label }, cause: 'carrier_lookup' } as const;
        await engine.resolve(shipOrder, record, verdict, 'poller');
      } else {
        const pauseMs = pauseAfter(shipOrder.checks, record.checkCount);
        if (pauseMs === undefined)
          await queue.escalate(record); // no more checks: a person has to find out
        else await queue.postpone(record, pauseMs);
      }
    }
    await reap(store);
  }

  const recordLabel: RowStatement<{ label: string }> = {
    name: 'record label',
    columns: { label: 'text' },
    sql: `labelled AS (
      INSERT INTO label (tenant_id, operation_id, label) SELECT tenant_id, record_id, label FROM rows)`,
  };
  const labelled = (label: string) => ({
    kind: 'completed' as const,
    status: 201,
    body: { label },
    cause: 'shipped',
    writes: rowWrite(recordLabel, { label }),
  });

  return {
    ...{ engine, store, shipOrder, createContext, router, createApi, postShipment, queue, runOnce, labelled },
    async close() {
      await listener.close();
      await pool.end();
    },
  };
}
