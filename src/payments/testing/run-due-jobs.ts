import { setTimeout as delay } from 'node:timers/promises';
import { Logger, runOnce, type TaskList } from 'graphile-worker';
import type { PaymentHarness } from './harness.ts';

/** Runs every job once, also those that wait for their back-off. */
export async function runDueJobs({ db, databaseUrl }: PaymentHarness, taskList: TaskList): Promise<void> {
  await db.$executeRaw`UPDATE graphile_worker._private_jobs SET run_at = now()`;
  const logger = new Logger(() => () => undefined);
  await runOnce({ connectionString: databaseUrl, taskList, logger });
  // graphile-worker does not wait until a job is unlocked, which would otherwise overlap with the next round.
  const held = () => db.$queryRaw<unknown[]>`SELECT FROM graphile_worker.jobs WHERE locked_by IS NOT NULL`;
  while ((await held()).length > 0) await delay(5);
}
