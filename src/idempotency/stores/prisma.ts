import type pg from 'pg';
import { Prisma } from '#prisma';
import { createPgDriver, type PgDriverOptions } from './pg-driver.ts';
import { driverCause, isPgUnavailable, isRefusedByPostgres } from './postgres-errors.ts';
import type { SqlDriver } from './sql-driver.ts';

export { sqlState } from './postgres-errors.ts';

/** As much of a Prisma client as the store needs. A client that was extended with `$extends` has it too. */
interface RawQueries {
  $queryRawUnsafe<T = unknown>(query: string, ...values: unknown[]): PromiseLike<T>;
}

interface PrismaConnection<Tx> extends RawQueries {
  $transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

/** The store's driver on a Prisma client alone, for applications that have no pool of `pg` of their own. */
export function createPrismaDriver<Tx extends RawQueries>(db: PrismaConnection<Tx>): SqlDriver<Tx> {
  return {
    query: async (statement) => db.$queryRawUnsafe(statement.text, ...statement.values),
    queryIn: async (tx, statement) => tx.$queryRawUnsafe(statement.text, ...statement.values),
    transaction: (work) =>
      db.$transaction(async (tx) => {
        const result = await work(tx);
        // If the work has hidden the failure of a statement, PostgreSQL answers the COMMIT with a ROLLBACK, and Prisma does
        // not notice: the phase would count as committed. Any further statement fails then.
        await tx.$queryRawUnsafe('SELECT');
        return result;
      }),
    isUnavailable: isDatabaseUnavailable,
  };
}

/** Statements on a pool of `pg`, where they are prepared and shared; transactions with callbacks through Prisma. */
export function createCombinedDriver<Tx extends RawQueries>(
  pool: pg.Pool,
  db: PrismaConnection<Tx>,
  options?: PgDriverOptions,
): SqlDriver<Tx> {
  return { ...createPrismaDriver(db), query: createPgDriver(pool, options).query };
}

/** Prisma's codes for: not reachable, timed out, connection closed, pool exhausted, transaction lost. */
const unavailableCodes = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2037']);
/** The same for raw queries: they all have one code, and only the kind that the driver adapter reports differs. */
const unavailableKinds = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TooManyConnections',
  'DatabaseDoesNotExist',
  'AuthenticationFailed',
  'TlsConnectionError',
]);

/** For errors of `pg` and of Prisma. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof Prisma.PrismaClientInitializationError) return true;
  if (error instanceof Prisma.PrismaClientUnknownRequestError) return true;
  const cause = driverCause(error);
  const isKnown = error instanceof Prisma.PrismaClientKnownRequestError;
  if (!isKnown && !cause) return isPgUnavailable(error);
  if (isKnown && unavailableCodes.has(error.code)) return true;
  if (unavailableKinds.has(cause?.kind ?? '')) return true;
  return cause?.originalCode !== undefined && !isRefusedByPostgres(cause.originalCode);
}
