import type { PrismaClient } from '#prisma';

/**
 * Asking a provider that does not respond delays its recovery and uses up our schedule. After five failures in a row no
 * worker asks for a while; then one worker makes one call, and a response closes the circuit for all. The state is a row, so
 * all workers share it and the console can show it.
 *
 * The provider may also ask for a pause. That is not a failure: no worker asks until then, and no success shortens it.
 */
export interface Circuit {
  /** Whether a check is due, or the provider has to be probed. A worker that finds neither asks nothing else. */
  hasWork(): Promise<boolean>;
  /** How many checks may be made now; `one` probes whether the provider is back, and its result has to be reported. */
  permits(): Promise<'all' | 'one' | 'none'>;
  succeeded(): Promise<'closed' | 'was_closed'>;
  failed(): Promise<void>;
  /** The provider asked for it, with 429 and Retry-After. The longest pause holds, for all workers. */
  pause(forMs: number): Promise<void>;
}

const failuresToOpen = 5;
/** Short: checks should resume soon after the provider is back, and one call every five seconds does no harm. */
const openMs = 5_000;
/** A header must not be able to stop reconciliation for a day. */
const longestPauseMs = 5 * 60_000;

export function createCircuit(
  db: Pick<PrismaClient, '$queryRaw' | '$executeRaw'>,
  provider: string,
): Circuit {
  return {
    async hasWork() {
      const [row] = await db.$queryRaw<{ work: boolean }[]>`
        SELECT EXISTS (SELECT FROM operation WHERE status = 'unknown' AND next_check_at <= statement_timestamp())
          OR EXISTS (
            SELECT FROM provider_circuit WHERE provider = ${provider} AND failures >= ${failuresToOpen}
              AND open_until <= statement_timestamp()) AS work`;
      return row?.work === true;
    },
    async permits() {
      const [row] = await db.$queryRaw<{ failures: number; open: boolean; paused: boolean }[]>`
        SELECT failures, coalesce(open_until > clock_timestamp(), false) AS open,
          coalesce(paused_until > clock_timestamp(), false) AS paused
        FROM provider_circuit WHERE provider = ${provider}`;
      if (row?.paused) return 'none';
      if (!row || row.failures < failuresToOpen) return 'all';
      if (row.open) return 'none';
      // Half open: the worker whose update succeeds makes the call.
      const won = await db.$executeRaw`
        UPDATE provider_circuit SET open_until = clock_timestamp() + ${openMs}::int * interval '1 millisecond'
        WHERE provider = ${provider} AND open_until <= clock_timestamp()`;
      return won === 1 ? 'one' : 'none';
    },
    async succeeded() {
      const closed = await db.$executeRaw`
        UPDATE provider_circuit SET failures = 0, open_until = NULL, changed_at = clock_timestamp()
        WHERE provider = ${provider} AND failures >= ${failuresToOpen}`;
      if (closed === 1) return 'closed';
      await db.$executeRaw`
        UPDATE provider_circuit SET failures = 0 WHERE provider = ${provider} AND failures > 0`;
      return 'was_closed';
    },
    async failed() {
      await db.$executeRaw`
        INSERT INTO provider_circuit AS c (provider, failures) VALUES (${provider}, 1)
        ON CONFLICT (provider) DO UPDATE SET
          failures = c.failures + 1,
          changed_at = CASE WHEN c.failures + 1 = ${failuresToOpen} THEN clock_timestamp() ELSE c.changed_at END,
          open_until = CASE WHEN c.failures + 1 >= ${failuresToOpen}
            THEN clock_timestamp() + ${openMs}::int * interval '1 millisecond' END`;
    },
    async pause(forMs) {
      const ms = Math.round(Math.min(forMs, longestPauseMs));
      await db.$executeRaw`
        INSERT INTO provider_circuit AS c (provider, paused_until)
        VALUES (${provider}, clock_timestamp() + ${ms}::int * interval '1 millisecond')
        ON CONFLICT (provider) DO UPDATE SET paused_until = greatest(c.paused_until, excluded.paused_until)`;
    },
  };
}

/** For the console: whether the provider is being asked, and if not, why. */
export interface CircuitReading {
  readonly open: boolean;
  readonly failures: number;
  readonly since: string | null;
  /** Until when the provider asked for a pause; null without one. */
  readonly pausedUntil: string | null;
}

export async function readCircuit(
  db: Pick<PrismaClient, '$queryRaw'>,
  provider: string,
): Promise<CircuitReading> {
  const [row] = await db.$queryRaw<{ failures: number; changed_at: Date; paused_until: Date | null }[]>`
    SELECT failures, changed_at, CASE WHEN paused_until > clock_timestamp() THEN paused_until END AS paused_until
    FROM provider_circuit WHERE provider = ${provider}`;
  const open = (row?.failures ?? 0) >= failuresToOpen;
  return {
    open,
    failures: row?.failures ?? 0,
    since: open ? (row?.changed_at.toISOString() ?? null) : null,
    pausedUntil: row?.paused_until?.toISOString() ?? null,
  };
}
