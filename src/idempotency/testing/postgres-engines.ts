import { randomBytes } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { type Prisma, PrismaClient } from '#prisma';
import { createTestDatabase } from '#run/testing/database.ts';
import { createEngine } from '../engine.ts';
import type { EngineEvent } from '../events.ts';
import type { OperationDefinition } from '../operation.ts';
import type { ChangeSignal, IdempotencyStore, TenantPolicy } from '../ports.ts';
import { createResponseCipher } from '../response-cipher.ts';
import { createPostgresStore } from '../stores/postgres.ts';
import { createListener } from '../stores/postgres-listener.ts';
import { createPostgresSignal } from '../stores/postgres-signal.ts';
import { createCombinedDriver } from '../stores/prisma.ts';

type Tx = Prisma.TransactionClient;

export interface EngineWrappers {
  readonly store?: (store: IdempotencyStore<Tx>) => IdempotencyStore<Tx>;
  readonly signal?: (signal: ChangeSignal) => ChangeSignal;
  readonly tenantPolicy?: (tenantId: string) => Promise<TenantPolicy>;
}

/** One database with any number of engines. Each has its own pool and its own LISTEN, as separate processes would. */
export async function openPostgresEngines() {
  const database = await createTestDatabase({ template: 'app' });
  const cipher = createResponseCipher([{ id: 'test', key: randomBytes(32) }]);
  const closing: (() => Promise<void>)[] = [];

  function open(wrap: EngineWrappers = {}) {
    const pool = new pg.Pool({ connectionString: database.url, max: 10 });
    pool.on('error', () => undefined);
    const db = new PrismaClient({ adapter: new PrismaPg(pool) });
    const listener = createListener(database.url);
    closing.push(async () => {
      await listener.close();
      await db.$disconnect();
      await pool.end();
    });
    const events: EngineEvent[] = [];
    const store = (wrap.store ?? ((same) => same))(createPostgresStore(createCombinedDriver(pool, db)));
    const signal = (wrap.signal ?? ((same) => same))(createPostgresSignal(listener));
    const observe = (event: EngineEvent) => void events.push(event);
    const engine = createEngine({
      store,
      cipher,
      signal,
      leaseMs: 60_000,
      observe,
      ...(wrap.tenantPolicy && { tenantPolicy: wrap.tenantPolicy }),
    });
    return { db, store, engine, events };
  }

  async function close(): Promise<void> {
    await Promise.all(closing.map((one) => one()));
    await database.drop();
  }

  return { url: database.url, open, close };
}

export type PostgresEngines = Awaited<ReturnType<typeof openPostgresEngines>>;
export type PostgresEngine = ReturnType<PostgresEngines['open']>;

/** An operation for any store: its handlers use no transaction handle. */
export function testOperation(
  over: Partial<OperationDefinition<unknown>> = {},
): OperationDefinition<unknown> {
  return {
    name: 'test.run',
    apiVersion: '1',
    recoveryPoints: { claimed: 'unsent', prepared: 'unsent', sent: 'sent' },
    retention: { replayMs: 3_600_000, bodyMs: 3_600_000, metadataMs: 7_200_000 },
    checks: { firstInMs: 60_000, pausesMs: [] },
    responseSchemaVersion: 1,
    retryAfterSeconds: 1,
    ...over,
  };
}
