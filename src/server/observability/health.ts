import { heartbeatTimeoutMs } from '#queue/index.ts';
import type { Services } from '../services.ts';

const checkTimeoutMs = 3_000;

export interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<'database' | 'provider' | 'worker', 'ok' | string>>;
}

/** Ready means: a payment that starts now can be carried through. Each part that is not says why, in one sentence. */
export async function checkReadiness({
  db,
  provider,
}: Pick<Services, 'db' | 'provider'>): Promise<Readiness> {
  const [database, providerCheck, worker] = await Promise.all([
    reason('The database does not answer.', () => db.$queryRaw`SELECT 1`),
    reason('The payment provider does not answer.', () => provider.ping()),
    reason(`No worker has reported in the last ${heartbeatTimeoutMs / 1_000} seconds.`, async () => {
      const [row] = await db.$queryRaw<{ alive: boolean }[]>`
        SELECT EXISTS (
          SELECT FROM worker_heartbeat
          WHERE seen_at > clock_timestamp() - ${heartbeatTimeoutMs}::int * interval '1 millisecond') AS alive`;
      if (!row?.alive) throw new Error('silent');
    }),
  ]);
  const checks = { database, provider: providerCheck, worker };
  return { ready: Object.values(checks).every((check) => check === 'ok'), checks };
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
