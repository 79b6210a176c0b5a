import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '#run/free-port.ts';
import { print, runCommand } from '#run/terminal.ts';
import { checkTarget, exitWithResult, percentile, printMachine, spread } from './figures.ts';
import { each, type Harness, openHarness } from './harness.ts';

/** The provider charges and the response is lost: the request ends in 202, and reconciliation resolves it. */
const lostResponse = 'pm_fault_charged_reset';

const help = `npm run measure:resolve [-- count [perSecond]]
How long it takes until an unknown outcome is resolved: by webhook, by polling alone, by the sweeper after a SIGKILL; and
how many operations a second one worker's poller resolves. 500 operations each way, 10 of them started a second, unless
the arguments give other numbers.`;

/** For throughput: requests in flight at a time. */
const atOnce = 8;

/** From the last event of a status (and recovery point) to the one that ended the operation, by the database's clock. */
const timesSql = `
  SELECT (extract(epoch FROM ended.at - begun.at) * 1000)::float8 AS ms FROM payment p
  CROSS JOIN LATERAL (SELECT max(at) AS at FROM idempotency_event e
    WHERE e.tenant_id = p.tenant_id AND e.record_id = p.operation_id
      AND e.to_status IN ('completed', 'failed_retryable')) AS ended
  CROSS JOIN LATERAL (SELECT max(at) AS at FROM idempotency_event e
    WHERE e.tenant_id = p.tenant_id AND e.record_id = p.operation_id
      AND e.to_status = $2 AND ($3::text IS NULL OR e.recovery_point = $3)) AS begun
  WHERE p.reference LIKE $1`;

await runCommand(help, async ([count = '500', rate = '10']) => {
  const [operations, perSecond] = [Number(count), Number(rate)];
  const harness = await openHarness();
  try {
    printMachine();
    print(`${operations} operations each way, ${perSecond} a second`);
    const app = await harness.startApp();
    let worker = await harness.startWorker();

    const byWebhook = await payAndResolve(harness, app.url, 'webhook', operations, perSecond);
    checkTarget('by webhook', spread(byWebhook), percentile(byWebhook, 50) < 1_000, 'p50 under 1 s');
    print(`        of which after its arrival: ${spread(await sinceArrival(harness))}`);

    await harness.control('webhooks', { on: false });
    const byPoller = await payAndResolve(harness, app.url, 'poller', operations, perSecond);
    checkTarget('by polling alone', spread(byPoller), percentile(byPoller, 50) < 8_000, 'p50 under 8 s');

    const bySweeper = await killAndResolve(harness, operations);
    const sinceLease = bySweeper.map((ms) => ms - harness.leaseMs);
    const within = percentile(sinceLease, 99) < 5_000;
    checkTarget(
      'by sweeper after SIGKILL, past the lease',
      spread(sinceLease),
      within,
      'p99 under lease + 5 s',
    );

    await worker.stop();
    await each(references('throughput', operations * 2), atOnce, (one) =>
      harness.pay(app.url, one, lostResponse),
    );
    await harness.control('latency', { ms: 20 });
    worker = await harness.startWorker();
    const perWorker = await throughput(harness);
    print(`poller: ${perWorker.toFixed(0)} operations/s by one worker, the sandbox responding in 20 ms`);

    const charges = [...(await harness.charges()).values()];
    checkTarget(
      'charged twice',
      String(charges.filter((n) => n > 1).length),
      charges.every((n) => n === 1),
      'none',
    );
    printMachine();
  } finally {
    await harness.close();
  }
  exitWithResult();
});

function references(kind: string, count: number): string[] {
  return Array.from({ length: count }, (_, n) => `${kind}-${n}`);
}

async function payAndResolve(
  harness: Harness,
  url: string,
  kind: string,
  count: number,
  perSecond: number,
): Promise<number[]> {
  const sent = references(kind, count).map(async (one, n) => {
    await delay((n * 1_000) / perSecond);
    await harness.pay(url, one, lostResponse);
  });
  await Promise.all(sent);
  await untilResolved(harness, kind);
  const { rows } = await harness.pool.query<{ ms: number | null }>(timesSql, [`${kind}-%`, 'unknown', null]);
  const times = rows.flatMap(({ ms }) => (ms === null ? [] : [ms]));
  if (times.length < rows.length)
    print(`        ${rows.length - times.length} were resolved without ever being unknown`);
  return times;
}

/** Each round kills a process that has sent a hundred payments and received no response. Measured from its last event. */
async function killAndResolve(harness: Harness, count: number): Promise<number[]> {
  const perRound = 100;
  for (let sent = 0; sent < count; sent += perRound) {
    const killed = await harness.startApp(await findFreePort());
    const round = references('sweeper', count).slice(sent, sent + perRound);
    const lost = round.map((one) =>
      harness.pay(killed.url, one, 'pm_fault_charged_no_response').catch(() => 0),
    );
    // Until every payment has been sent. On a slow machine some never are; they are not counted.
    await harness.untilNone(
      `SELECT ($1 - count(*) FILTER (WHERE r.status <> 'in_progress' OR r.recovery_point = 'confirm_sent'))::int AS count
       FROM idempotency_record r JOIN payment p ON p.tenant_id = r.tenant_id AND p.operation_id = r.id
       WHERE p.reference LIKE 'sweeper-%'`,
      [sent + round.length],
    );
    await killed.stop('SIGKILL');
    await Promise.all(lost);
  }
  await untilResolved(harness, 'sweeper');
  const { rows } = await harness.pool.query<{ ms: number | null }>(timesSql, [
    'sweeper-%',
    'in_progress',
    'confirm_sent',
  ]);
  return rows.flatMap(({ ms }) => (ms === null ? [] : [ms]));
}

/** Our own share: from the storing of the webhook to the completion of the operation. */
async function sinceArrival(harness: Harness): Promise<number[]> {
  const { rows } = await harness.pool.query<{ ms: number }>(`
    SELECT (extract(epoch FROM completed.at - webhook.received_at) * 1000)::float8 AS ms
    FROM idempotency_event completed
    JOIN provider_event webhook ON webhook.tenant_id = completed.tenant_id
      AND webhook.operation_id = completed.record_id AND completed.actor = 'webhook:' || webhook.event_id
    WHERE completed.to_status = 'completed'`);
  return rows.map(({ ms }) => ms);
}

async function untilResolved(harness: Harness, kind: string): Promise<void> {
  await harness.untilNone(
    `SELECT count(*)::int AS count
     FROM idempotency_record r JOIN payment p ON p.tenant_id = r.tenant_id AND p.operation_id = r.id
     WHERE p.reference LIKE $1 AND r.status IN ('in_progress', 'unknown')`,
    [`${kind}-%`],
  );
}

async function throughput(harness: Harness): Promise<number> {
  await untilResolved(harness, 'throughput');
  const { rows } = await harness.pool.query<{ rate: number }>(`
    SELECT ((count(*) - 1) / extract(epoch FROM max(e.at) - min(e.at)))::float8 AS rate
    FROM payment p JOIN idempotency_event e
      ON e.tenant_id = p.tenant_id AND e.record_id = p.operation_id AND e.to_status = 'completed'
    WHERE p.reference LIKE 'throughput-%'`);
  return rows[0]?.rate ?? 0;
}
