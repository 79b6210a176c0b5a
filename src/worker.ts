import { once } from 'node:events';
import { startWorker } from '#jobs/worker.ts';
import { pruneActivity } from '#server/observability/activity.ts';
import { services } from '#server/services.ts';
import { webhookAddresses } from '#server/webhook-addresses.ts';

/** The process for background jobs. It ends on a signal, and when its parent process is gone. */
const built = services('worker');
const { settings, db, metrics } = built;
const worker = await startWorker({
  ...built,
  databaseUrl: settings.DATABASE_URL,
  outbox: {
    ...built.shopPorts,
    mail: { smtpUrl: settings.SMTP_URL, from: settings.MAIL_FROM },
    webhookAddresses: webhookAddresses(settings),
  },
  alerts: { webhookUrl: settings.ALERT_WEBHOOK_URL, publicUrl: settings.PUBLIC_URL },
  onReaped: metrics.reaped,
  pruneActivity: () => pruneActivity(db),
});
process.send?.({ type: 'ready' });

const signals = ['SIGTERM', 'SIGINT', 'disconnect'];
await Promise.race(signals.map((signal) => once(process, signal)));
await worker.stop();
await built.close();
process.exit(0);
