import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { createEngine, createResponseCipher } from '#idempotency/index.ts';
import {
  createListener,
  createPostgresSignal,
  createPostgresStore,
  type SqlDriver,
  storePoolSettings,
} from '#idempotency/stores/postgres.ts';

/** As the app opens it (`services.ts`), without a log, metrics and settings of tenants. */
export function openEngine<Tx>(
  { url, pool: max }: { readonly url: string; readonly pool: number },
  driverOf: (pool: pg.Pool) => SqlDriver<Tx>,
) {
  const pool = new pg.Pool({
    connectionString: url,
    max: Math.min(max, 10),
    idleTimeoutMillis: 0,
    ...storePoolSettings,
  });
  const listener = createListener(url);
  const engine = createEngine<Tx>({
    store: createPostgresStore(driverOf(pool)),
    signal: createPostgresSignal(listener),
    cipher: createResponseCipher([{ id: 'bench', key: randomBytes(32) }]),
    leaseMs: 30_000,
  });
  return {
    engine,
    async close(): Promise<void> {
      await Promise.all([listener.close(), pool.end()]);
    },
  };
}
