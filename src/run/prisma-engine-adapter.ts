import { randomUUID } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import {
  ColumnTypeEnum,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import pg from 'pg';
import { withClient } from './database-client.ts';
import { withDatabase } from './database-url.ts';

const charOid = 18;
const textOid = 25;

type ArrayResult = { fields?: { dataTypeID: number }[]; rows: unknown[][] };

// The catalogue has one-byte "char" columns. The adapter does not know the type and gives up, so it is shown text; the
// engine then expects characters, so it is given the real type.
function translateCharColumns(pool: pg.Pool, adapter: SqlDriverAdapter): void {
  const charColumns = new WeakMap<unknown[][], number[]>();
  const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<ArrayResult>;
  pool.query = (async (...args: unknown[]) => {
    const result = await query(...args);
    const found: number[] = [];
    for (const [index, field] of result.fields?.entries() ?? []) {
      if (field.dataTypeID !== charOid) continue;
      field.dataTypeID = textOid;
      found.push(index);
    }
    if (found.length > 0) charColumns.set(result.rows, found);
    return result;
  }) as unknown as typeof pool.query;
  const queryRaw = adapter.queryRaw.bind(adapter);
  adapter.queryRaw = async (sql) => {
    const result = await queryRaw(sql);
    for (const index of charColumns.get(result.rows) ?? [])
      result.columnTypes[index] = ColumnTypeEnum.Character;
    return result;
  };
}

async function connect(url: string, pools: pg.Pool[]): Promise<SqlDriverAdapter> {
  // One connection, because the engine's advisory lock and its scripts belong to one session.
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  pools.push(pool);
  const adapter = await new PrismaPg(pool).connect();
  translateCharColumns(pool, adapter);
  // The adapter's own version cuts a script at every semicolon, those inside a trigger's body included. Sent whole, it
  // also succeeds or fails as a whole.
  adapter.executeScript = async (script) => {
    await adapter.executeRaw({ sql: script, args: [], argTypes: [] });
  };
  return adapter;
}

export type EngineAdapter = { factory: SqlMigrationAwareDriverAdapterFactory; close(): Promise<void> };

export function createEngineAdapter(url: string): EngineAdapter {
  const pools: pg.Pool[] = [];
  const shadows: string[] = [];
  const factory: SqlMigrationAwareDriverAdapterFactory = {
    provider: 'postgres',
    adapterName: 'paidonce-migrations',
    connect: () => connect(url, pools),
    // The adapter's own version keeps the connection string, which wins over the name of the shadow database, and so
    // would replay the migrations in the real one.
    connectToShadowDb: async () => {
      const shadow = `paidonce_shadow_${randomUUID()}`;
      await withClient(url, (client) => client.query(`CREATE DATABASE "${shadow}" TEMPLATE template0`));
      shadows.push(shadow);
      return connect(withDatabase(url, shadow), pools);
    },
  };
  // The engine leaves its connections open when it is freed.
  const close = async () => {
    await Promise.all(pools.map((pool) => pool.end()));
    for (const shadow of shadows)
      await withClient(url, (client) => client.query(`DROP DATABASE "${shadow}"`));
  };
  return { factory, close };
}
