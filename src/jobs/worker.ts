import { EventEmitter } from 'node:events';
import { Logger, run, type WorkerEvents } from 'graphile-worker';
import { type BackgroundParts, startBackground } from './background.ts';
import { type AlertSettings, createAlertTasks } from './exhausted-alert.ts';
import { startHeartbeat } from './heartbeat.ts';
import type { Log } from './log.ts';
import { createLoggedOutboxTasks, type OutboxParts } from './outbox-tasks.ts';
import { createProviderTasks, type ProviderEventParts } from './provider-event-tasks.ts';

const jobConcurrency = 8;

export interface WorkerParts extends BackgroundParts, OutboxParts, ProviderEventParts {
  readonly databaseUrl: string;
  readonly alerts: AlertSettings;
}

/** Runs jobs from PostgreSQL and the background loops. Any number of workers may run, on any machines. */
export async function startWorker(parts: WorkerParts): Promise<{ stop(): Promise<void> }> {
  const { db, log } = parts;
  let workerId = '';
  const events: WorkerEvents = new EventEmitter();
  events.once('pool:create', ({ workerPool }) => {
    workerId = workerPool.id;
  });
  const runner = await run({
    connectionString: parts.databaseUrl,
    taskList: {
      ...createLoggedOutboxTasks(parts),
      ...createProviderTasks(parts),
      ...createAlertTasks(db, parts.alerts),
    },
    concurrency: jobConcurrency,
    events,
    logger: jobLogger(log),
    // The process has signal handlers of its own.
    noHandleSignals: true,
  });
  const background = startBackground(parts);
  const heartbeat = await startHeartbeat(parts, workerId);
  log.info({ workerId }, 'worker ready');

  return {
    async stop() {
      await Promise.all([runner.stop(), background.stop()]);
      await heartbeat.stop();
    },
  };
}

/**
 * Its messages, in our format. Details such as a job's payload are left out; so are messages about jobs that succeeded,
 * because they do not name the operation. The tasks log that themselves.
 */
function jobLogger(log: Log): Logger {
  return new Logger(({ label }) => (level, message) => {
    if (level === 'debug' || (level === 'info' && label === 'worker')) return;
    log[level === 'warning' ? 'warn' : level](message);
  });
}
