import type { TaskList } from 'graphile-worker';
import { createOutboxTasks, type OutboxObservation, type OutboxSettings } from '#payments/outbox/index.ts';
import type { PrismaClient } from '#prisma';
import type { Log } from './log.ts';

export interface OutboxParts {
  readonly db: PrismaClient;
  readonly log: Log;
  readonly outbox: OutboxSettings;
}

/** What the worker does about the outbox: its events, e-mails and webhooks to merchants. */
export function createLoggedOutboxTasks({ db, log, outbox }: OutboxParts): TaskList {
  return createOutboxTasks(db, outbox, (observation) => report(log, observation));
}

function report(log: Log, observation: OutboxObservation): void {
  if (observation.kind === 'consumed') log.info(observation, 'event consumed');
  else if (observation.outcome === 'given_up')
    log.error(observation, 'given up: an operator can send it again');
  else log.info(observation, 'performed');
}
