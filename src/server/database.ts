import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { storePoolSettings } from '#idempotency/stores/postgres.ts';
import { PrismaClient } from '#prisma';
import { openPool, sessionSettings } from './database-pool.ts';

/** Enough for a busy process on two cores; many processes share one PostgreSQL with its hundred connections. */
const connections = 8;
/**
 * Callers share the store's statements, and one of a kind is under way at a time unless it is slow (`batch.ts`), so more
 * would mostly stay idle.
 */
const storeConnections = 6;

export interface DatabaseOptions {
  /** The address leads to a pooler in transaction mode, such as PgBouncer, which refuses settings of a session. */
  readonly pooler?: boolean;
}

export function openDatabase(url: string, { pooler = false }: DatabaseOptions = {}): PrismaClient {
  const pool = openPool({
    connectionString: url,
    max: connections,
    query_timeout: 10_000,
    ...(!pooler && sessionSettings(9_000)),
  });
  const adapter = new PrismaPg(pool, { disposeExternalPool: true });
  return new PrismaClient({ adapter, transactionOptions: { maxWait: 3_000, timeout: 10_000 } });
}

/** The connections of the idempotency store: a page of the console that reads for seconds never keeps a payment waiting. */
export function openStorePool(url: string, { pooler = false }: DatabaseOptions = {}): pg.Pool {
  return openPool({
    connectionString: url,
    max: storeConnections,
    query_timeout: 5_000,
    ...(!pooler && { ...sessionSettings(4_000), ...storePoolSettings }),
  });
}

/** The connections of the job queue: one listens, and the others take jobs and write their results. */
export function openJobPool(directUrl: string, concurrency: number): pg.Pool {
  return openPool({
    connectionString: directUrl,
    max: concurrency + 2,
    query_timeout: 10_000,
    ...sessionSettings(9_000),
  });
}
