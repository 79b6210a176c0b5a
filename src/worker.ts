import { randomUUID } from 'node:crypto';
import { run } from 'graphile-worker';
import { createTasks } from '#server/tasks.ts';
import { house } from '#server/wiring.ts';

/** Takes jobs out of PostgreSQL. Any number of these may run: every job is given to one of them. */
const { settings, log, db } = house('worker');
const workerId = randomUUID();
const heartbeatMs = 5_000;

const runner = await run({
  connectionString: settings.DATABASE_URL,
  taskList: createTasks({ db, log }),
  concurrency: 5,
  // The process decides when it ends, below: two opinions about signals are one too many.
  noHandleSignals: true,
});

const heartbeat = setInterval(beat, heartbeatMs);
await beat();
log.info({ workerId }, 'worker ready');
process.send?.({ type: 'ready' });

process.once('SIGTERM', stop);
process.once('SIGINT', stop);
process.once('disconnect', stop);
await runner.promise;

async function beat(): Promise<void> {
  try {
    await db.$executeRaw`
      INSERT INTO worker_heartbeat (worker_id, seen_at) VALUES (${workerId}, clock_timestamp())
      ON CONFLICT (worker_id) DO UPDATE SET seen_at = excluded.seen_at`;
  } catch (error) {
    log.warn({ err: error }, 'heartbeat failed');
  }
}

let stopping = false;
async function stop(): Promise<void> {
  if (stopping) return;
  stopping = true;
  clearInterval(heartbeat);
  await runner.stop();
  await db.workerHeartbeat.deleteMany({ where: { workerId } }).catch(() => undefined);
  await db.$disconnect();
  process.exit(0);
}
