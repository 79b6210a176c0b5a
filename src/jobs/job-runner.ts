import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger, type Runner, run, type TaskList, type WorkerEvents } from 'graphile-worker';
import type pg from 'pg';
import type { PrismaClient } from '#prisma';
import { startHeartbeat } from './heartbeat.ts';
import type { Log } from './log.ts';
import { unlockWorkers } from './unlock-dead-workers.ts';

export const jobConcurrency = 8;
/**
 * graphile-worker ends itself by giving back the jobs that it has fetched, which it tries for minutes while the database is
 * away, and was seen never to finish. What it still holds after this time is unlocked instead.
 */
const endWithinMs = 2_000;
/** Longer than a job takes, and shorter than a supervisor waits before it kills. */
const stopWithinMs = 20_000;
/** Long enough not to burden a database that is coming back, and too short to be noticed afterwards. */
const pauseMs = 1_000;

export interface JobRunnerParts {
  readonly db: PrismaClient;
  /** Leads to PostgreSQL itself: graphile-worker listens on one of its connections. */
  readonly jobPool: pg.Pool;
  readonly log: Log;
}

/**
 * Runs graphile-worker until it is stopped. graphile-worker does not start while the database is away, and ends itself when
 * it cannot store the result of a job, as in a failover. Neither ends the process:
 *
 * - starting: once a second, until the database responds. `ready` resolves when it has started for the first time.
 * - running: until it ends itself, or `stop` is called.
 * - ended by itself: the jobs whose results were not stored are unlocked, and it is started again. They run a second
 *   time, which every task allows.
 */
export function startJobRunner(parts: JobRunnerParts, tasks: TaskList) {
  const { db, log } = parts;
  const stopping = new AbortController();
  const ready = Promise.withResolvers<void>();
  let runner: Runner | undefined;
  let ended: string | undefined;

  const running = (async () => {
    while (!stopping.signal.aborted) {
      try {
        await runOnce();
      } catch (error) {
        log.warn({ err: error }, 'the job queue does not respond');
      }
      await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();

  async function runOnce(): Promise<void> {
    if (ended !== undefined) await unlockWorkers(db, [ended]);
    ended = undefined;
    const events: WorkerEvents = new EventEmitter();
    let workerId = '';
    events.once('pool:create', ({ workerPool }) => {
      workerId = workerPool.id;
    });
    const failed = new Promise((resolve) => events.once('pool:fatalError', resolve));
    runner = await run({
      pgPool: parts.jobPool,
      taskList: tasks,
      // Otherwise it looks for a crontab in the current directory.
      parsedCronItems: [],
      concurrency: jobConcurrency,
      // A new job is notified; only one whose retry is due is found by polling.
      pollInterval: 5_000,
      events,
      logger: jobLogger(log),
      // The process has signal handlers of its own.
      noHandleSignals: true,
      // One fetches for all: otherwise each of the eight polls by itself, also while there are no jobs.
      //
      // By its default it stores results without waiting for them, and an error ends the process. In batches, it ends only
      // graphile-worker.
      preset: {
        worker: { localQueue: { size: jobConcurrency + 1 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 },
      },
    });
    if (stopping.signal.aborted) stopRunner();
    const heartbeat = await startHeartbeat({ db, log }, workerId);
    log.info({ workerId }, 'worker ready');
    ready.resolve();
    await Promise.race([
      // An abandoned one may still fail.
      runner.promise.catch((error: unknown) => log.warn({ err: error }, 'the job queue failed')),
      failed.then(() => delay(endWithinMs)),
      aborted(stopping.signal).then(() => delay(stopWithinMs, undefined, { ref: false })),
    ]);
    await heartbeat.stop();
    ended = workerId;
    if (!stopping.signal.aborted) log.warn({ workerId }, 'the job queue stopped; it is started again');
  }

  function stopRunner(): void {
    // It rejects when it has ended already.
    runner?.stop().catch(() => undefined);
  }

  return {
    ready: ready.promise,
    async stop() {
      stopping.abort();
      stopRunner();
      await running;
    },
  };
}

function aborted(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
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
