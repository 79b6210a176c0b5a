import { EventEmitter } from 'node:events';
import { Logger, run, type WorkerEvents } from 'graphile-worker';
import { type Services, services } from '#server/services.ts';
import { startBackground } from './background.ts';
import { createAlertTasks } from './exhausted-alert.ts';
import { createTasks } from './outbox-tasks.ts';
import { createProviderTasks } from './provider-event-tasks.ts';
import { unlockDeadWorkers } from './unlock-dead-workers.ts';

/** After three missed heartbeats `/api/ready` reports that no worker is running. */
const heartbeatMs = 5_000;
const jobConcurrency = 8;

/** Runs jobs from PostgreSQL and the background loops. Any number of workers may run, on any machines. */
export async function startWorker(): Promise<{ stop(): Promise<void> }> {
  const built = services('worker');
  const { settings, log, db } = built;
  // Jobs are locked in the name of graphile-worker's pool. The heartbeat uses the same name, so that the jobs of a dead
  // worker can be distinguished from those of a busy one.
  let workerId = '';
  const events: WorkerEvents = new EventEmitter();
  events.once('pool:create', ({ workerPool }) => {
    workerId = workerPool.id;
  });
  const runner = await run({
    connectionString: settings.DATABASE_URL,
    taskList: { ...createTasks(built), ...createProviderTasks(built), ...createAlertTasks(built) },
    concurrency: jobConcurrency,
    events,
    logger: jobLogger(log),
    // The process has signal handlers of its own.
    noHandleSignals: true,
  });
  const background = startBackground(built);
  const heartbeat = setInterval(() => beat(built, workerId), heartbeatMs);
  await beat(built, workerId);
  log.info({ workerId }, 'worker ready');

  let stopping: Promise<void> | undefined;
  return {
    stop() {
      stopping ??= (async () => {
        clearInterval(heartbeat);
        await Promise.all([runner.stop(), background.stop()]);
        await db.workerHeartbeat.deleteMany({ where: { workerId } }).catch(() => undefined);
        await built.close();
      })();
      return stopping;
    },
  };
}

/**
 * Its messages, in our format. Details such as a job's payload are left out; so are messages about jobs that succeeded,
 * because they do not name the operation. The tasks log that themselves.
 */
function jobLogger(log: Services['log']): Logger {
  return new Logger(({ label }) => (level, message) => {
    if (level === 'debug' || (level === 'info' && label === 'worker')) return;
    log[level === 'warning' ? 'warn' : level](message);
  });
}

async function beat({ db, log }: Services, workerId: string): Promise<void> {
  try {
    await db.$executeRaw`
      INSERT INTO worker_heartbeat (worker_id, seen_at) VALUES (${workerId}, clock_timestamp())
      ON CONFLICT (worker_id) DO UPDATE SET seen_at = excluded.seen_at`;
    const dead = await unlockDeadWorkers(db);
    if (dead.length > 0) log.warn({ dead }, 'took over the jobs of workers that died');
    // The row of a killed worker is of no use after a day.
    await db.$executeRaw`DELETE FROM worker_heartbeat WHERE seen_at < clock_timestamp() - interval '1 day'`;
  } catch (error) {
    log.warn({ err: error }, 'heartbeat failed');
  }
}
