import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '#run/free-port.ts';
import { runCommand, say } from '#run/terminal.ts';
import { endWithJudgement, judge, percentile, sayMachine, spread } from './figures.ts';
import { each, openStand, type Stand } from './harness.ts';

/** The money moves and the answer is lost at once: the request ends in 202, and somebody has to find out. */
const lostAnswer = 'pm_fault_charged_reset';

const help = `npm run measure:truth [-- count [perSecond]]
How long it takes until an unknown outcome is known: by webhook, by polling alone, by the sweeper after a SIGKILL; and
how many operations a second one worker's poller settles. 500 operations each way, 10 of them begun a
second, unless told otherwise.`;

/** Where it is how much, not how soon. */
const atOnce = 8;

/** From the last event of a status (and recovery point) to the one that ended the operation, by the database's clock. */
const timesSql = `
  SELECT (extract(epoch FROM ended.at - begun.at) * 1000)::float8 AS ms FROM payment
  CROSS JOIN LATERAL (SELECT max(at) AS at FROM idempotency_event
    WHERE record_id = operation_id AND to_status IN ('completed', 'failed_retryable')) AS ended
  CROSS JOIN LATERAL (SELECT max(at) AS at FROM idempotency_event
    WHERE record_id = operation_id AND to_status = $2 AND ($3::text IS NULL OR recovery_point = $3)) AS begun
  WHERE reference LIKE $1`;

await runCommand(help, async ([count = '500', rate = '10']) => {
  const [operations, perSecond] = [Number(count), Number(rate)];
  const stand = await openStand();
  try {
    sayMachine();
    say(`${operations} operations each way, ${perSecond} a second`);
    const app = await stand.startApp();
    let worker = await stand.startWorker();

    const byWebhook = await payAndSettle(stand, app.url, 'webhook', operations, perSecond);
    judge('by webhook', spread(byWebhook), percentile(byWebhook, 50) < 1_000, 'p50 under 1 s');
    say(`        of which after its arrival: ${spread(await sinceArrival(stand))}`);

    await stand.control('webhooks', { on: false });
    const byPoller = await payAndSettle(stand, app.url, 'poller', operations, perSecond);
    judge('by polling alone', spread(byPoller), percentile(byPoller, 50) < 8_000, 'p50 under 8 s');

    const bySweeper = await killAndSettle(stand, operations);
    const sinceLease = bySweeper.map((ms) => ms - stand.leaseMs);
    const within = percentile(sinceLease, 99) < 5_000;
    judge('by sweeper after SIGKILL, past the lease', spread(sinceLease), within, 'p99 under lease + 5 s');

    await worker.stop();
    await each(references('throughput', operations * 2), atOnce, (one) =>
      stand.pay(app.url, one, lostAnswer),
    );
    await stand.control('latency', { ms: 20 });
    worker = await stand.startWorker();
    const settled = await throughput(stand);
    say(`poller: ${settled.toFixed(0)} operations/s by one worker, the sandbox answering in 20 ms`);

    const charges = [...(await stand.charges()).values()];
    judge(
      'charged twice',
      String(charges.filter((n) => n > 1).length),
      charges.every((n) => n === 1),
      'none',
    );
    sayMachine();
  } finally {
    await stand.close();
  }
  endWithJudgement();
});

function references(kind: string, count: number): string[] {
  return Array.from({ length: count }, (_, n) => `${kind}-${n}`);
}

async function payAndSettle(
  stand: Stand,
  url: string,
  kind: string,
  count: number,
  perSecond: number,
): Promise<number[]> {
  const sent = references(kind, count).map(async (one, n) => {
    await delay((n * 1_000) / perSecond);
    await stand.pay(url, one, lostAnswer);
  });
  await Promise.all(sent);
  await untilSettled(stand, kind);
  const { rows } = await stand.pool.query<{ ms: number | null }>(timesSql, [`${kind}-%`, 'unknown', null]);
  const times = rows.flatMap(({ ms }) => (ms === null ? [] : [ms]));
  if (times.length < rows.length)
    say(`        ${rows.length - times.length} were known before anybody doubted`);
  return times;
}

/** Processes die with a hundred payments each, all sent and none answered. Measured from the last sign of life. */
async function killAndSettle(stand: Stand, count: number): Promise<number[]> {
  const perRound = 100;
  for (let sent = 0; sent < count; sent += perRound) {
    const doomed = await stand.startApp(await findFreePort());
    const round = references('sweeper', count).slice(sent, sent + perRound);
    const lost = round.map((one) => stand.pay(doomed.url, one, 'pm_fault_charged_no_answer').catch(() => 0));
    // Until none is on this side of sending. On a machine that is too slow some never get there; they do not count.
    await stand.untilNone(
      `SELECT ($1 - count(*) FILTER (WHERE r.status <> 'in_progress' OR r.recovery_point = 'confirm_sent'))::int AS count
       FROM idempotency_record r JOIN payment p ON p.operation_id = r.id WHERE p.reference LIKE 'sweeper-%'`,
      [sent + round.length],
    );
    await doomed.stop('SIGKILL');
    await Promise.all(lost);
  }
  await untilSettled(stand, 'sweeper');
  const { rows } = await stand.pool.query<{ ms: number | null }>(timesSql, [
    'sweeper-%',
    'in_progress',
    'confirm_sent',
  ]);
  return rows.flatMap(({ ms }) => (ms === null ? [] : [ms]));
}

/** What of it is ours: from the webhook being stored to the truth being written. */
async function sinceArrival(stand: Stand): Promise<number[]> {
  const { rows } = await stand.pool.query<{ ms: number }>(`
    SELECT (extract(epoch FROM settled.at - event.received_at) * 1000)::float8 AS ms
    FROM idempotency_event settled
    JOIN provider_event event ON event.operation_id = settled.record_id AND settled.actor = 'webhook:' || event.event_id
    WHERE settled.to_status = 'completed'`);
  return rows.map(({ ms }) => ms);
}

async function untilSettled(stand: Stand, kind: string): Promise<void> {
  await stand.untilNone(
    `SELECT count(*)::int AS count FROM idempotency_record r JOIN payment p ON p.operation_id = r.id
     WHERE p.reference LIKE $1 AND r.status IN ('in_progress', 'unknown')`,
    [`${kind}-%`],
  );
}

async function throughput(stand: Stand): Promise<number> {
  await untilSettled(stand, 'throughput');
  const { rows } = await stand.pool.query<{ rate: number }>(`
    SELECT ((count(*) - 1) / extract(epoch FROM max(e.at) - min(e.at)))::float8 AS rate
    FROM payment p JOIN idempotency_event e ON e.record_id = p.operation_id AND e.to_status = 'completed'
    WHERE p.reference LIKE 'throughput-%'`);
  return rows[0]?.rate ?? 0;
}
