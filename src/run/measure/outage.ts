import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { print, runCommand } from '#run/terminal.ts';
import { checkTarget, exitWithResult, percentile, printMachine, spread } from './figures.ts';
import { type Harness, openHarness } from './harness.ts';

const help = `npm run measure:outage
A provider outage of two minutes under load: a minute of 503, a minute without responses. Payments arrive before, during and
after it, and their clients retry with the same key until they receive a final response.`;

const perSecond = 5;
const calmMs = 20_000;
const outageMs = 120_000;
/** How soon after the end of the outage everything must be resolved. */
const targetMs = 60_000;

await runCommand(help, async () => {
  const harness = await openHarness();
  try {
    printMachine();
    const app = await harness.startApp();
    await harness.startWorker();
    const clients = startClients(harness, app.url);

    await delay(calmMs);
    const began = await now(harness);
    await harness.control('outage', { on: true, mode: '503' });
    await delay(outageMs / 2);
    await harness.control('outage', { on: true, mode: 'hang' });
    await delay(outageMs / 2);
    await harness.control('outage', { on: false });
    const ended = await now(harness);
    print(
      `the outage is over; ${clients.waiting()} of ${clients.started()} payments have no final response yet`,
    );
    await delay(calmMs);

    clients.stop();
    await Promise.race([clients.done, delay(targetMs * 2)]);
    await reportResults(harness, clients, began, ended);
    printMachine();
  } finally {
    await harness.close();
  }
  exitWithResult();
});

async function reportResults(harness: Harness, clients: Clients, began: Date, ended: Date): Promise<void> {
  const { rows } = await harness.pool.query<{ ms: number | null; status: string }>(
    `SELECT r.status, (extract(epoch FROM resolved.at - $2::timestamptz) * 1000)::float8 AS ms
     FROM idempotency_record r
     CROSS JOIN LATERAL (SELECT max(at) AS at FROM idempotency_event
       WHERE tenant_id = r.tenant_id AND record_id = r.id
         AND from_status = 'unknown' AND to_status <> 'unknown') AS resolved
     WHERE EXISTS (SELECT FROM idempotency_event e
       WHERE e.tenant_id = r.tenant_id AND e.record_id = r.id
         AND e.to_status = 'unknown' AND e.at BETWEEN $1 AND $2)`,
    [began, ended],
  );
  const open = rows.filter(({ status }) => status === 'unknown' || status === 'in_progress');
  const times = rows.flatMap(({ ms }) => (ms === null ? [] : [Math.max(0, ms)]));
  print(`        ${clients.started()} payments, ${rows.length} of them unknown during the outage`);
  const met = open.length === 0 && percentile(times, 100) < targetMs;
  checkTarget('resolved after its end', spread(times), met, 'all within a minute');

  const charges = await harness.charges();
  const twice = [...charges.values()].filter((n) => n > 1).length;
  checkTarget('charged twice', String(twice), twice === 0, 'none');
  const { rows: paid } = await harness.pool.query<{ reference: string }>(
    `SELECT reference FROM payment WHERE status = 'succeeded'`,
  );
  const unbooked = charges.size - paid.filter(({ reference }) => charges.has(reference)).length;
  checkTarget('charges without a payment', String(unbooked), unbooked === 0, 'none');
  checkTarget('clients without a final response', String(clients.waiting()), clients.waiting() === 0, 'none');
  checkTarget('payments', `${paid.length} of ${clients.started()}`, paid.length === clients.started(), 'all');
}

interface Clients {
  readonly done: Promise<unknown>;
  started(): number;
  waiting(): number;
  stop(): void;
}

/** Each client makes one payment: it retries with the same key and backs off until it receives a final response. */
function startClients(harness: Harness, url: string): Clients {
  let stopped = false;
  let started = 0;
  let waiting = 0;
  const all: Promise<void>[] = [];

  async function client(reference: string): Promise<void> {
    const key = randomUUID();
    waiting++;
    for (let pauseMs = 2_000; ; pauseMs = Math.min(pauseMs * 2, 15_000)) {
      const status = await harness.pay(url, reference, 'pm_card_visa', key).catch(() => 0);
      if (status === 201) break;
      await delay(pauseMs * (0.5 + Math.random()));
    }
    waiting--;
  }

  const arriving = (async () => {
    while (!stopped) {
      all.push(client(`outage-${started++}`));
      await delay(1_000 / perSecond);
    }
  })();

  return {
    done: arriving.then(() => Promise.all(all)),
    started: () => started,
    waiting: () => waiting,
    stop: () => {
      stopped = true;
    },
  };
}

async function now(harness: Harness): Promise<Date> {
  const { rows } = await harness.pool.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  return rows[0]?.now ?? new Date();
}
