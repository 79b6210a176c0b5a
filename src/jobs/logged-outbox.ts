import {
  createOutbox,
  type Outbox,
  type OutboxObservation,
  type OutboxSettings,
} from '#payments/outbox/index.ts';
import type { PrismaClient } from '#prisma';
import type { Log } from './log.ts';

export interface OutboxParts {
  readonly db: PrismaClient;
  readonly log: Log;
  readonly outbox: OutboxSettings;
}

/** What the worker does about the outbox: its events, e-mails and webhooks to merchants. */
export function createLoggedOutbox({ db, log, outbox }: OutboxParts): Outbox {
  return createOutbox(db, outbox, (observation) => report(log, observation));
}

function report(log: Log, observation: OutboxObservation): void {
  switch (observation.kind) {
    case 'batch_failed':
      log.warn({ err: observation.error }, 'a batch of events failed: each becomes a job');
      break;
    case 'consumed':
      log.info(observation, 'event consumed');
      break;
    case 'message_attempted':
      if (observation.outcome === 'given_up')
        log.error(observation, 'given up: an operator can send it again');
      else log.info(observation, 'message attempted');
      break;
  }
}
