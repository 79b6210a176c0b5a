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

// PostgreSQL's catalogue has one-byte "char" columns. The adapter throws on that type, so it is given text instead; the
// engine needs the real type, so it is restored in the result.
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
  // The adapter's own version splits a script at every semicolon, also inside the body of a trigger. Sent as one query, a
  // script is also one transaction.
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
    // The adapter's own version keeps the connection string, which takes precedence over the name of the shadow database,
    // so it would replay the migrations in the real database.
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
