import type pg from 'pg';
import { isPgUnavailable } from './postgres-errors.ts';
import type { SqlDriver, Statement } from './sql-driver.ts';

/** A row that another transaction has locked must not hold up its neighbours in a shared statement. */
const lockTimeoutMs = 250;

/**
 * Settings for the connections of the store, which should be its own, so that a slow read never keeps a claim waiting for a
 * connection. Not for connections to a pooler in transaction mode, which refuses them.
 */
export const storePoolSettings = {
  lock_timeout: lockTimeoutMs,
  // Planning the store's statements takes longer than executing them, and the right plan never depends on the values. It
  // is an index lookup also where the plan is made while the table is nearly empty.
  options: '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off',
  // Plans are made anew now and then, after the table has grown.
  maxLifetimeSeconds: 600,
} as const satisfies pg.PoolConfig;

export interface PgDriverOptions {
  /**
   * The pool's connections lead to a pooler in transaction mode, such as PgBouncer, where each transaction may get another
   * session: nothing is prepared, and settings are made within the transaction. With `pipeline` in the pool's settings it is
   * still one round trip.
   */
  readonly pooler?: boolean;
}

/** PostgreSQL answers the COMMIT of a transaction in which a statement failed with a ROLLBACK, and reports no error. */
const hiddenFailure =
  'The transaction was rolled back: a statement of the domain writes failed, and they went on as if it had not.';

/** The store's driver on `pg`. Statements are prepared once per connection, unless there is a pooler. */
export function createPgDriver(
  pool: pg.Pool,
  { pooler = false }: PgDriverOptions = {},
): SqlDriver<pg.PoolClient> {
  const prepare = ({ name, text, values }: Statement) => ({
    ...(!pooler && { name }),
    text,
    values: [...values],
  });
  return {
    query: async <Row>(statement: Statement) => {
      const prepared = prepare(statement);
      const result = pooler ? await queryWithSettings(pool, prepared) : await pool.query(prepared);
      return result.rows as Row[];
    },
    queryIn: async <Row>(client: pg.PoolClient, statement: Statement) =>
      (await client.query(prepare(statement))).rows as Row[],
    async transaction(work) {
      const client = await pool.connect();
      let failure: Error | undefined;
      try {
        await client.query('BEGIN');
        const result = await work(client);
        const { command } = await client.query('COMMIT');
        if (command !== 'COMMIT') throw new Error(hiddenFailure);
        return result;
      } catch (error) {
        failure = error instanceof Error ? error : new Error(String(error));
        await client.query('ROLLBACK').then(
          () => {
            failure = undefined;
          },
          () => undefined,
        );
        throw error;
      } finally {
        // A connection that could not even roll back is closed instead of being used again.
        client.release(failure);
      }
    },
    isUnavailable: isPgUnavailable,
  };
}

/** One transaction of its own. If the statement fails, the COMMIT after it rolls back. */
async function queryWithSettings(
  pool: pg.Pool,
  statement: pg.QueryConfig<unknown[]>,
): Promise<pg.QueryResult> {
  const client = await pool.connect();
  const [begun, executed, committed] = await Promise.allSettled([
    client.query(`BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}`),
    client.query(statement),
    client.query('COMMIT'),
  ]);
  const failed = [begun, executed, committed].find((one) => one.status === 'rejected');
  client.release(failed !== undefined && isPgUnavailable(failed.reason));
  if (failed) throw failed.reason;
  return (executed as PromiseFulfilledResult<pg.QueryResult>).value;
}
