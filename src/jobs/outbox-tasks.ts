import type { TaskList } from 'graphile-worker';
import { createOutboxTasks, type OutboxObservation } from '#payments/outbox/index.ts';
import type { Logger } from '#server/observability/log.ts';
import type { Services } from '#server/services.ts';
import { webhookAddresses } from './webhook-addresses.ts';

/** What the worker does. */
export function createTasks({ db, log, settings }: Pick<Services, 'db' | 'log' | 'settings'>): TaskList {
  const outbox = {
    publicUrl: settings.PUBLIC_URL,
    mail: { smtpUrl: settings.SMTP_URL, from: settings.MAIL_FROM },
    webhookAddresses: webhookAddresses(settings),
  };
  return { ...createOutboxTasks(db, outbox, (observation) => report(log, observation)) };
}

function report(log: Logger, observation: OutboxObservation): void {
  if (observation.kind === 'consumed') log.info(observation, 'event consumed');
  else if (observation.outcome === 'given_up')
    log.error(observation, 'given up: an operator can send it again');
  else log.info(observation, 'performed');
}
