import type { PrismaClient } from '#prisma';
import { heartbeatMs } from '#queue/index.ts';
import type { Log } from './log.ts';
import { writeHeartbeat } from './unlock-dead-workers.ts';

/**
 * Shows that this worker is alive, and unlocks the jobs of those that are not. Jobs are locked in the name of
 * graphile-worker's pool; the heartbeat uses the same name, so that the jobs of a dead worker can be distinguished from
 * those of a busy one.
 */
export async function startHeartbeat(
  { db, log }: { readonly db: PrismaClient; readonly log: Log },
  workerId: string,
): Promise<{ stop(): Promise<void> }> {
  async function beat(): Promise<void> {
    try {
      const dead = await writeHeartbeat(db, workerId);
      if (dead.length > 0) log.warn({ dead }, 'took over the jobs of workers that died');
    } catch (error) {
      log.warn({ err: error }, 'heartbeat failed');
    }
  }

  let beating = beat();
  const timer = setInterval(() => {
    beating = beat();
  }, heartbeatMs);
  await beating;
  return {
    async stop() {
      clearInterval(timer);
      // Otherwise it could write the row once more.
      await beating;
      await db.workerHeartbeat.deleteMany({ where: { workerId } }).catch(() => undefined);
    },
  };
}
