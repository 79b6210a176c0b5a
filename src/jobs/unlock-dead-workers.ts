import type { PrismaClient } from '#prisma';
import { heartbeatTimeoutMs } from '#queue/index.ts';

/**
 * Writes the heartbeat of a worker and unlocks the jobs of other workers that died, whose ids it returns. graphile-worker
 * alone would wait four hours; the heartbeat shows it sooner. A worker that was only paused may find its job done by another:
 * every task is safe to run twice.
 */
export async function writeHeartbeat(db: PrismaClient, workerId: string): Promise<string[]> {
  const dead = await db.$queryRaw<{ worker_id: string }[]>`
    WITH seen AS (
      INSERT INTO worker_heartbeat (worker_id, seen_at) VALUES (${workerId}, clock_timestamp())
      ON CONFLICT (worker_id) DO UPDATE SET seen_at = excluded.seen_at),
    forgotten AS (
      -- The row of a killed worker is of no use after a day.
      DELETE FROM worker_heartbeat WHERE seen_at < clock_timestamp() - interval '1 day' AND worker_id <> ${workerId})
    SELECT DISTINCT j.locked_by AS worker_id FROM graphile_worker.jobs j
    WHERE j.locked_at < clock_timestamp() - ${heartbeatTimeoutMs}::int * interval '1 millisecond'
      -- The statement does not see the heartbeat that it writes.
      AND j.locked_by <> ${workerId}
      AND NOT EXISTS (
        SELECT FROM worker_heartbeat h WHERE h.worker_id = j.locked_by
          AND h.seen_at > clock_timestamp() - ${heartbeatTimeoutMs}::int * interval '1 millisecond')`;
  const ids = dead.map((row) => row.worker_id);
  if (ids.length > 0) await unlockWorkers(db, ids);
  return ids;
}

/** For workers that are known to have ended. */
export async function unlockWorkers(db: PrismaClient, ids: readonly string[]): Promise<void> {
  await db.$executeRaw`SELECT graphile_worker.force_unlock_workers(${ids}::text[])`;
}
