import { once } from 'node:events';
import { jobConcurrency, startWorker } from '#jobs/worker.ts';
import { openJobPool } from '#server/database.ts';
import { databaseAddresses } from '#server/env.ts';
import { pruneActivity } from '#server/observability/activity.ts';
import { orExit } from '#server/or-exit.ts';
import { services } from '#server/services.ts';
import { webhookAddresses } from '#server/webhook-addresses.ts';

/** The process for background jobs. It ends on a signal, and when its parent process is gone. */
const built = await orExit(() => services('worker'));
const { settings, db, metrics } = built;
const jobPool = openJobPool(databaseAddresses(settings).directUrl, jobConcurrency);
const worker = startWorker({
  ...built,
  jobPool,
  outbox: {
    ...built.shopPorts,
    mail: { smtpUrl: settings.SMTP_URL, from: settings.MAIL_FROM },
    webhookAddresses: webhookAddresses(settings),
    cipher: built.cipher,
  },
  alerts: { webhookUrl: settings.ALERT_WEBHOOK_URL, publicUrl: settings.PUBLIC_URL },
  onMissedEvents: metrics.eventsMissed,
  onReaped: metrics.reaped,
  pruneActivity: () => pruneActivity(db),
});
void worker.ready.then(() => process.send?.({ type: 'ready' }));

const signals = ['SIGTERM', 'SIGINT', 'disconnect'];
await Promise.race(signals.map((signal) => once(process, signal)));
await worker.stop();
await Promise.all([jobPool.end(), built.close()]);
process.exit(0);
