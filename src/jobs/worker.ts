import { type BackgroundParts, startBackground } from './background.ts';
import { type AlertSettings, createAlertTasks } from './exhausted-alert.ts';
import { type JobRunnerParts, startJobRunner } from './job-runner.ts';
import { createLoggedOutbox, type OutboxParts } from './logged-outbox.ts';
import { createProviderEventTasks, type ProviderEventParts } from './provider-event-tasks.ts';

export { jobConcurrency } from './job-runner.ts';

export interface WorkerParts
  extends Omit<BackgroundParts, 'relay'>,
    JobRunnerParts,
    OutboxParts,
    ProviderEventParts {
  readonly alerts: AlertSettings;
}

export interface Worker {
  /** Resolves when jobs are run for the first time: with the database, which may be away at the start. */
  readonly ready: Promise<void>;
  stop(): Promise<void>;
}

/** Runs jobs from PostgreSQL and the background loops. Any number of workers may run, on any machines. */
export function startWorker(parts: WorkerParts): Worker {
  const outbox = createLoggedOutbox(parts);
  const jobs = startJobRunner(parts, {
    ...outbox.tasks,
    ...createProviderEventTasks(parts),
    ...createAlertTasks(parts.db, parts.alerts),
  });
  const background = startBackground({ ...parts, relay: outbox.relay });
  return {
    ready: jobs.ready,
    async stop() {
      await Promise.all([jobs.stop(), background.stop()]);
    },
  };
}
