import pg from 'pg';

export type Queryable = Pick<pg.ClientBase, 'query'>;
export type Pool = pg.Pool;

const INT8 = 20;

// Every bigint we store is a count, an amount or epoch time, all far below 2^53, so numbers are exact.
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
};

export function openPool(url: string, onLost: (error: Error) => void): Pool {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'paidonce-sandbox',
    max: 10,
    // A dead database should fail the request in front of it, not queue callers behind it.
    connectionTimeoutMillis: 5_000,
    types,
  });
  // A lost connection is an 'error' event, and one without a listener ends the process. The pool listens only while
  // a connection is idle; the second listener covers those in the middle of a transaction, whose query fails anyway.
  pool.on('error', onLost);
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
    // A connection that cannot roll back is in an unknown state: never hand it to the next request.
    client.release(broken);
  }
}

/** The one row a statement must produce; anything else is a broken invariant, not a case to handle. */
export function onlyRow<T>(rows: T[]): T {
  const [row] = rows;
  if (rows.length !== 1 || row === undefined) throw new Error(`expected exactly one row, got ${rows.length}`);
  return row;
}
