import pg from 'pg';

export type Queryable = Pick<pg.ClientBase, 'query'>;
export type Pool = pg.Pool;

const INT8 = 20;

// Every stored bigint is a count, an amount or epoch time, far below 2^53, so a number represents it exactly.
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
};

export function openPool(url: string, onConnectionLost: (error: Error) => void): Pool {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'paidonce-sandbox',
    max: 10,
    // Every statement reads and writes a few rows by their ids: one plan is right for all values, and compiling
    // it would take longer than running it. Plans are made while the tables are small and kept while they grow, so a plan
    // that reads a whole table must not be chosen because it is the cheapest at first.
    options: `-c plan_cache_mode=force_generic_plan -c jit=off ${['seqscan', 'hashjoin', 'mergejoin'].map((way) => `-c enable_${way}=off`).join(' ')}`,
    // When the database is down, requests fail after this time instead of queueing.
    connectionTimeoutMillis: 5_000,
    types,
  });
  // A lost connection emits 'error', which ends the process if there is no listener. The pool listens only while a
  // connection is idle; the second listener is for connections within a transaction, where the query fails as well.
  pool.on('error', onConnectionLost);
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

export async function inTransaction<T>(pool: Pool, run: (tx: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    const result = await run(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    // A connection that cannot roll back is in an undefined state, so the pool discards it.
    client.release(broken);
  }
}

/** The one row that a statement must return; another number of rows is a broken invariant. */
export function onlyRow<T>(rows: T[]): T {
  const [row] = rows;
  if (rows.length !== 1 || row === undefined) throw new Error(`expected exactly one row, got ${rows.length}`);
  return row;
}
