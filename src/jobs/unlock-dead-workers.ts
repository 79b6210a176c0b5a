import type { PrismaClient } from '#prisma';
import { heartbeatTimeoutMs } from '#queue/index.ts';

/**
 * Unlocks the jobs of workers that died. graphile-worker alone would wait four hours; the heartbeat shows it sooner. A worker
 * that was only paused may find its job done by another: every task is safe to run twice.
 */
export async function unlockDeadWorkers(db: PrismaClient): Promise<string[]> {
  const dead = await db.$queryRaw<{ worker_id: string }[]>`
    SELECT DISTINCT j.locked_by AS worker_id FROM graphile_worker.jobs j
    WHERE j.locked_at < clock_timestamp() - ${heartbeatTimeoutMs}::int * interval '1 millisecond'
      AND NOT EXISTS (
        SELECT FROM worker_heartbeat h WHERE h.worker_id = j.locked_by
          AND h.seen_at > clock_timestamp() - ${heartbeatTimeoutMs}::int * interval '1 millisecond')`;
  const ids = dead.map((row) => row.worker_id);
  if (ids.length > 0) await db.$executeRaw`SELECT graphile_worker.force_unlock_workers(${ids}::text[])`;
  return ids;
}
