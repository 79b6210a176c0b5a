import { readdirSync } from 'node:fs';
import path from 'node:path';
import { heartbeatTimeoutMs } from '#queue/index.ts';
import type { Services } from '../services.ts';

const checkTimeoutMs = 3_000;

/** However often it is asked for, the parts are checked once in this time. */
const cachedMs = 5_000;

export interface Readiness {
  /** Whether this process should get requests: its database responds, takes writes and is migrated. */
  readonly ready: boolean;
  /** Reported only: the provider and the workers serve all processes alike, so taking this one out would not help. */
  readonly checks: Readonly<Record<'database' | 'provider' | 'worker', 'ok' | string>>;
}

/** One per process: the endpoint is public, and must not be a way to call the provider. */
export function createReadiness(
  { db, provider }: Pick<Services, 'db' | 'provider'>,
  clock: () => number = () => performance.now(),
): () => Promise<Readiness> {
  let last: { readonly at: number; readonly readiness: Promise<Readiness> } | undefined;
  return () => {
    if (!last || clock() - last.at > cachedMs) {
      last = { at: clock(), readiness: checkReadiness(db, provider) };
    }
    return last.readiness;
  };
}

/** Each part that does not work gives a reason. */
async function checkReadiness(db: Services['db'], provider: Services['provider']): Promise<Readiness> {
  const [database, providerCheck, worker] = await Promise.all([
    reason('The database does not respond, takes no writes, or is not migrated.', async () => {
      // A primary that was demoted in a failover still responds to reads.
      const [row] = await db.$queryRaw<{ usable: boolean }[]>`
        SELECT count(*) >= ${migrationCount()}::int AND current_setting('transaction_read_only') = 'off' AS usable
        FROM _prisma_migrations WHERE finished_at IS NOT NULL`;
      if (!row?.usable) throw new Error('not usable');
    }),
    reason('The payment provider does not respond.', () => provider.ping()),
    reason(`No worker has reported in the last ${heartbeatTimeoutMs / 1_000} seconds.`, async () => {
      const [row] = await db.$queryRaw<{ alive: boolean }[]>`
        SELECT EXISTS (
          SELECT FROM worker_heartbeat
          WHERE seen_at > clock_timestamp() - ${heartbeatTimeoutMs}::int * interval '1 millisecond') AS alive`;
      if (!row?.alive) throw new Error('silent');
    }),
  ]);
  const checks = { database, provider: providerCheck, worker };
  return { ready: database === 'ok', checks };
}

/** The migrations that this version of the app comes with. */
function migrationCount(): number {
  const directory = path.join(process.cwd(), 'prisma/migrations');
  return readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory()).length;
}

async function reason(sentence: string, check: () => Promise<unknown>): Promise<string> {
  const timeout = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('timeout')), checkTimeoutMs).unref();
  });
  try {
    await Promise.race([check(), timeout]);
    return 'ok';
  } catch {
    return sentence;
  }
}
