import pg from 'pg';
import { isDatabaseUnavailable } from '#idempotency/stores/prisma.ts';

/**
 * A pool that recovers within seconds of its database.
 *
 * - A connection that is not accepted in time fails, and so does a statement without a response (`query_timeout`).
 * - A connection whose response is overdue is closed. It would otherwise return to the pool, where the next request would
 *   wait behind the statement that is not answered.
 * - When one connection breaks, the idle ones are closed as well. After a network partition or a failover they are dead too,
 *   although nothing has said so, and each of them would cost a request its whole timeout.
 */
export function openPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({
    connectionTimeoutMillis: 3_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    // With it, `pg` itself closes a connection whose response is overdue.
    pipeline: true,
    onConnect: setSession,
    ...config,
  });
  const idle = new Set<pg.PoolClient>();
  // `pg` listens for errors only while a connection is idle or executes a statement. One that breaks between two statements
  // of a transaction would otherwise end the process.
  pool.on('connect', (client) => client.on('error', closeIdle));
  pool.on('error', () => undefined);
  pool.on('acquire', (client) => idle.delete(client));
  pool.on('release', (error, client) => {
    if (error && isDatabaseUnavailable(error)) closeIdle();
    else idle.add(client);
  });
  pool.on('remove', (client) => idle.delete(client));
  return pool;

  function closeIdle(): void {
    const suspected = [...idle];
    idle.clear();
    for (const client of suspected) {
      // The pool removes it at once, as if it had broken; the socket alone would be noticed only after it was used again.
      client.emit('error', new Error('Another connection of the pool broke.'));
      client.connection.stream.destroy();
    }
  }
}

/**
 * Prisma sends times without their zone and reads them as if they were in UTC, so in any other time zone of the session, the
 * default of many servers, they are wrong by hours. PgBouncer keeps these two settings for each of its clients.
 *
 * All statements are written for READ COMMITTED. Where a role or database has a stricter default, most payments under load would
 * be rolled back for the sake of others. PgBouncer keeps this one for a session of PostgreSQL, which all its clients share.
 */
async function setSession(client: pg.ClientBase): Promise<void> {
  await client.query(
    `SET TimeZone = 'UTC'; SET DateStyle = 'ISO'; SET default_transaction_isolation = 'read committed'`,
  );
}

/** What PostgreSQL itself ends, so that a process that hangs or is cut off holds no locks. */
export function sessionSettings(statementTimeoutMs: number): pg.PoolConfig {
  return {
    // Shorter than the client's own timeout, so that the connection can usually be kept.
    statement_timeout: statementTimeoutMs,
    // A third of the time that a caller waits for a connection: one that waits behind those that wait for a row still gets it.
    lock_timeout: 1_000,
    idle_in_transaction_session_timeout: 15_000,
  };
}
