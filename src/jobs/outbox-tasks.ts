import type { TaskList } from 'graphile-worker';
import { createOutboxTasks, type OutboxNews } from '#payments/outbox/index.ts';
import type { Logger } from '#server/observability/log.ts';
import { webhookAddresses } from './webhook-addresses.ts';
import type { House } from '#server/services.ts';

/** What the worker does. */
export function createTasks({ db, log, settings }: Pick<House, 'db' | 'log' | 'settings'>): TaskList {
  const outbox = {
    publicUrl: settings.PUBLIC_URL,
    mail: { smtpUrl: settings.SMTP_URL, from: settings.MAIL_FROM },
    webhookAddresses: webhookAddresses(settings),
  };
  return { ...createOutboxTasks(db, outbox, (news) => report(log, news)) };
}

function report(log: Logger, news: OutboxNews): void {
  if (news.kind === 'consumed') log.info(news, 'event consumed');
  else if (news.outcome === 'given_up') log.error(news, 'given up: an operator can send it again');
  else log.info(news, 'performed');
}
