import { EventEmitter } from 'node:events';
import { Logger, run, type WorkerEvents } from 'graphile-worker';
import { createAlertTasks } from './exhausted-alert.ts';
import { startBackground } from './background.ts';
import { createProviderTasks } from './provider-event-tasks.ts';
import { unlockDeadWorkers } from './unlock-dead-workers.ts';
import { createTasks } from './outbox-tasks.ts';
import { type House, house } from '#server/services.ts';

/** Three of these missed and `/api/ready` says that nobody works. */
const heartbeatMs = 5_000;
const jobConcurrency = 8;

/** Takes jobs out of PostgreSQL and looks after what time brings. Any number of these may run, on any machines. */
export async function startWorker(): Promise<{ stop(): Promise<void> }> {
  const built = house('worker');
  const { settings, log, db } = built;
  // Jobs are locked in the name of graphile-worker's pool. The heartbeat speaks for that name, so that the jobs of a
  // dead worker can be told from those of a busy one.
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
    // The process decides when it ends: two opinions about signals are one too many.
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
 * Its own words, in our format. What it would add to them, such as a job's payload, is left out; so is what it has to say of
 * jobs that went well, because it cannot say whose they were. The tasks tell that themselves.
 */
function jobLogger(log: House['log']): Logger {
  return new Logger(({ label }) => (level, message) => {
    if (level === 'debug' || (level === 'info' && label === 'worker')) return;
    log[level === 'warning' ? 'warn' : level](message);
  });
}

async function beat({ db, log }: House, workerId: string): Promise<void> {
  try {
    await db.$executeRaw`
      INSERT INTO worker_heartbeat (worker_id, seen_at) VALUES (${workerId}, clock_timestamp())
      ON CONFLICT (worker_id) DO UPDATE SET seen_at = excluded.seen_at`;
    const dead = await unlockDeadWorkers(db);
    if (dead.length > 0) log.warn({ dead }, 'took over the jobs of workers that died');
    // What a killed worker left behind is of no use to anybody after a day.
    await db.$executeRaw`DELETE FROM worker_heartbeat WHERE seen_at < clock_timestamp() - interval '1 day'`;
  } catch (error) {
    log.warn({ err: error }, 'heartbeat failed');
  }
}
