import { RolledBack, StoreUnavailable } from '../ports.ts';
import type { SqlDriver } from './sql-driver.ts';

/**
 * PostgreSQL rolled the statement back for the sake of another transaction: a deadlock, a serialization failure (where the
 * database's default isolation is stricter than READ COMMITTED), or a row that stayed locked for longer than the store waits,
 * such as by an owner whose process is frozen in its transaction.
 */
const rolledBack: ReadonlySet<string | undefined> = new Set(['40P01', '40001', '55P03']);

/**
 * Throws `StoreUnavailable` if the database could not be reached or did not say how the statement ended, and `RolledBack` if
 * it was not this statement's fault. An error about the statement itself (a constraint, a trigger, a bad cast) is a bug or a
 * domain conflict, and is thrown unchanged.
 */
export async function translateErrors<Tx, T>(driver: SqlDriver<Tx>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    if (driver.isUnavailable(error)) throw new StoreUnavailable(error);
    throw rolledBack.has(sqlState(error)) ? new RolledBack(error) : error;
  }
}

/**
 * SQLSTATEs with which PostgreSQL refuses a statement as a whole and rolls it back: the statement is known not to have
 * happened, and the error is about its content. All other errors, also internal ones (XX000) and those of a connection,
 * leave open how it ended, or say that the server takes no writes.
 *
 * 22 data exception, 23 constraint, 40 rolled back (deadlock, serialization), 42 syntax or access, P0 raised by PL/pgSQL,
 * 0A not supported, 21 cardinality, 27 triggered data change, 44 check option, 54 program limit, 55 object state.
 */
const refused = /^(0A|21|22|23|27|40|42|44|54|55|P0)/;
/** The transaction's outcome is not known after this one, although it belongs to class 40. */
const statementCompletionUnknown = '40003';

export function isRefusedByPostgres(sqlState: string | undefined): boolean {
  return sqlState !== undefined && sqlState !== statementCompletionUnknown && refused.test(sqlState);
}

/** Five characters, as PostgreSQL sends them with every error. An errno such as EPIPE, of a system call, is no SQLSTATE. */
export function pgSqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || 'syscall' in error) return undefined;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/** PostgreSQL's error code, of an error of `pg` or from inside one of Prisma's driver adapter. */
export function sqlState(error: unknown): string | undefined {
  return driverCause(error)?.originalCode ?? pgSqlState(error);
}

export interface DriverCause {
  readonly kind?: string;
  readonly originalCode?: string;
}

/** Prisma wraps the driver adapter's errors, except those of a COMMIT. */
export function driverCause(error: unknown): DriverCause | undefined {
  const { meta } = (error ?? {}) as { meta?: { driverAdapterError?: unknown } };
  const adapterError = (meta?.driverAdapterError ?? error ?? {}) as { name?: string; cause?: DriverCause };
  return adapterError.name === 'DriverAdapterError' ? adapterError.cause : undefined;
}

/** Errors of our own code have no connection in them, and must not be mistaken for an unavailable database. */
export function isPgUnavailable(error: unknown): boolean {
  const state = pgSqlState(error);
  if (state !== undefined) return !isRefusedByPostgres(state);
  return error instanceof Error && (isConnectionErrno(error) || isConnectionMessage(error.message));
}

/** Everything that the system reports about a socket or the look-up of a host. */
const connectionErrno =
  /^(E(CONN\w+|HOST\w+|NET\w+|PIPE|TIMEDOUT|AI_\w+|NOTCONN|SHUTDOWN|ADDR\w+|BADF|MFILE|NFILE|NOBUFS|ACCES|PERM)|ENOTFOUND|ENOENT)$/;

/** Those of a socket; files have other ones, with some of the same codes. */
const socketCalls = /^(connect|socket|read|write|writev|shutdown|getaddrinfo|query\w*)$/;

function isConnectionErrno(error: Error): boolean {
  const { code, syscall, errors } = error as Error & { code?: unknown; syscall?: unknown; errors?: unknown };
  // A host with several addresses fails with one error for each.
  if (Array.isArray(errors) && errors.length > 0) {
    return errors.every((one) => one instanceof Error && isConnectionErrno(one));
  }
  if (typeof code !== 'string' || typeof syscall !== 'string') return false;
  return connectionErrno.test(code) && socketCalls.test(syscall);
}

/** `pg` reports these by their text alone. */
function isConnectionMessage(message: string): boolean {
  return /connection terminated|connection error|trying to connect|client was closed|not queryable|read timeout|timeout expired|server does not support ssl|pool after calling end/i.test(
    message,
  );
}
