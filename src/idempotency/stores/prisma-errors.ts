import { Prisma } from '#prisma';
import { StoreUnavailable } from '../ports.ts';

/**
 * An error that PostgreSQL raised about our statement (a constraint, a trigger, a bad cast) is a bug or a domain
 * conflict and must stay visible as itself. Everything else means that the store could not be reached or answered.
 */
export async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreUnavailable || !isDatabaseTrouble(error)) throw error;
    throw new StoreUnavailable(error);
  }
}

/** Prisma's codes for: not reachable, timed out, connection closed, pool exhausted, transaction lost. */
const troubleCodes = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2037']);
/** The same for raw queries, which all share one code and differ only in what the driver adapter says. */
const troubleKinds = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TooManyConnections',
  'DatabaseDoesNotExist',
  'AuthenticationFailed',
  'TlsConnectionError',
]);

export function isDatabaseTrouble(error: unknown): boolean {
  if (error instanceof Prisma.PrismaClientInitializationError) return true;
  if (error instanceof Prisma.PrismaClientUnknownRequestError) return true;
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) {
    // A connection that dies under a query reaches us as the driver left it, with no code to go by.
    return (
      error instanceof Error &&
      /connection terminated|trying to connect|connection error/i.test(error.message)
    );
  }
  const cause = driverCause(error);
  // SQLSTATE class 08: connection exception, 53: out of resources, 57: the server is going down.
  return (
    troubleCodes.has(error.code) ||
    troubleKinds.has(cause?.kind ?? '') ||
    /^(08|53|57)/.test(cause?.originalCode ?? '')
  );
}

/** The five characters PostgreSQL gives every error, dug out of what Prisma's adapter wraps around them. */
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
