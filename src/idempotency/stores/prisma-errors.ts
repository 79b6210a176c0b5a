import { Prisma } from '#prisma';
import { StoreUnavailable } from '../ports.ts';

/**
 * Throws `StoreUnavailable` if the database could not be reached or did not respond. An error about the statement itself
 * (a constraint, a trigger, a bad cast) is a bug or a domain conflict, and is thrown unchanged.
 */
export async function translateErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreUnavailable || !isDatabaseUnavailable(error)) throw error;
    throw new StoreUnavailable(error);
  }
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

export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof Prisma.PrismaClientInitializationError) return true;
  if (error instanceof Prisma.PrismaClientUnknownRequestError) return true;
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) {
    // A connection that is lost during a query arrives as an error of the driver, without a code.
    return (
      error instanceof Error &&
      /connection terminated|trying to connect|connection error/i.test(error.message)
    );
  }
  const cause = driverCause(error);
  // SQLSTATE class 08: connection exception, 53: out of resources, 57: the server is going down.
  return (
    unavailableCodes.has(error.code) ||
    unavailableKinds.has(cause?.kind ?? '') ||
    /^(08|53|57)/.test(cause?.originalCode ?? '')
  );
}

/** PostgreSQL's error code, from inside the error of Prisma's driver adapter. */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return undefined;
  return driverCause(error)?.originalCode;
}

function driverCause(
  error: Prisma.PrismaClientKnownRequestError,
): { kind?: string; originalCode?: string } | undefined {
  const adapter = error.meta?.driverAdapterError as { cause?: object } | undefined;
  return adapter?.cause;
}
