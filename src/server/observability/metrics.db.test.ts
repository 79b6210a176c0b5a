import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operationNames } from '#payments/operations/copy.ts';
import { createCircuit } from '#reconciliation/index.ts';
import { createTestDatabase, type TestDatabase } from '#run/testing/database.ts';
import { openDatabase } from '../database.ts';
import { counters, gauges, histograms, type Metric } from './catalogue.ts';
import { gaugesQuery, unknownMoneyQuery, unknownQuery } from './gauges.ts';
import { createLog } from './log.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { hasLabels, type Series } from './testing/evaluate-rule.ts';
import { alerts, groupingsIn, panels, selectorsIn } from './testing/queries.ts';

let database: TestDatabase;
let db: ReturnType<typeof openDatabase>;
/** Two processes of one installation. */
let app: Metrics;
let worker: Metrics;

beforeAll(async () => {
  database = await createTestDatabase({ template: 'app' });
  db = openDatabase(database.url);
  const settings = { provider: 'stripe', SANDBOX_URL: 'http://127.0.0.1:1' } as const;
  app = createMetrics(db, settings, createLog('test', 'silent'));
  worker = createMetrics(db, settings, createLog('test', 'silent'));
});
afterAll(async () => {
  await db.$disconnect();
  await database.drop();
});

const about = { operation: 'payment.create', operationId: randomUUID(), tenantId: 'acme' };

async function read(): Promise<Map<string, number>> {
  const lines = (await app.scrape()).split('\n').filter((line) => line && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

test('every metric is exported with its type, also before anything happened', async () => {
  const text = await app.scrape();
  for (const [type, names] of Object.entries({ counter: counters, histogram: histograms, gauge: gauges })) {
    for (const name of Object.keys(names)) expect(text).toContain(`# TYPE ${name} ${type}\n`);
  }
  expect(text).toContain('paidonce_reserve_total{operation="payment.create",outcome="created"} 0\n');
  expect(text).toContain(
    'paidonce_time_to_resolve_seconds_bucket{le="+Inf",operation="refund.create",source="webhook"} 0\n',
  );
});

describe('the series of an installation that has had a worker', () => {
  let series: Series[];

  beforeAll(async () => {
    await db.$executeRaw`INSERT INTO worker_heartbeat (worker_id, seen_at) VALUES ('w', now() - interval '1 hour')`;
    series = [...(await read())].map(([written, value]) => {
      const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(written) ?? [];
      const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, text]) => [label, text]);
      return { name, labels: Object.fromEntries(pairs), value };
    });
  });

  test('have exactly the labels that the catalogue says, and for what is unknown every combination', () => {
    const metrics: Record<string, Metric> = { ...counters, ...histograms, ...gauges };
    for (const { name, labels } of series) {
      const metric = metrics[name] ?? metrics[name.replace(/_(bucket|sum|count)$/, '')];
      const wanted = [...Object.keys(metric?.labels ?? {}), ...(name.endsWith('_bucket') ? ['le'] : [])];
      expect([name, Object.keys(labels).toSorted()]).toEqual([name, wanted.toSorted()]);
    }
    for (const operation of operationNames) {
      const about = series.filter(
        ({ name, labels }) => name.includes('_unknown_') && hasLabels(labels, { operation }),
      );
      expect(about).toContainEqual({ name: 'paidonce_unknown_operations', labels: { operation }, value: 0 });
      expect(about).toContainEqual({
        name: 'paidonce_unknown_oldest_age_seconds',
        labels: { operation },
        value: 0,
      });
      const eur = { operation, currency: 'eur' };
      expect(about).toContainEqual({ name: 'paidonce_unknown_amount_minor', labels: eur, value: 0 });
    }
  });

  test('are found by every selector of the dashboard and the alert rules, by name and by label, and can be grouped as they group', () => {
    for (const query of [...panels, ...alerts]) {
      for (const wanted of selectorsIn(query.expr)) {
        const found = series.filter(
          ({ name, labels }) => name === wanted.name && hasLabels(labels, wanted.labels),
        );
        expect(found, `${query.title}: ${query.expr}`).not.toEqual([]);
        for (const label of groupingsIn(query)) {
          expect(Object.keys(found[0]?.labels ?? {}), `${query.title}: ${query.expr}`).toContain(label);
        }
      }
    }
  });
});

test('any app process exports what the workers counted', async () => {
  worker.dueWork({ kind: 'swept', ...about, to: 'unknown' });
  worker.dueWork({ kind: 'check_failed', source: 'sweeper', ...about, error: new Error('a bug') });
  worker.reconciler({
    kind: 'resolved',
    ...about,
    source: 'poller',
    verdict: 'completed',
    unknownForMs: 3_000,
  });
  app.engine({ kind: 'reserve', ...about, outcome: 'replay' });
  worker.engine({ kind: 'reserve', ...about, outcome: 'replay' });
  await worker.flush();
  const values = await read();
  expect(values.get('paidonce_reserve_total{operation="payment.create",outcome="replay"}')).toBe(2);
  expect(values.get('paidonce_duplicate_charges_prevented_total{by="replay"}')).toBe(2);
  expect(values.get('paidonce_zombie_keys_total{found_by="sweeper"}')).toBe(1);
  expect(values.get('paidonce_reconcile_failed_total{operation="payment.create",source="sweeper"}')).toBe(1);
  expect(values.get('paidonce_reconcile_scheduled_total{by="sweeper",operation="payment.create"}')).toBe(1);
  const timeToResolve = (part: string) =>
    values.get(`paidonce_time_to_resolve_seconds_${part}operation="payment.create",source="poller"}`);
  expect([timeToResolve('bucket{le="2",'), timeToResolve('bucket{le="4",'), timeToResolve('sum{')]).toEqual([
    0, 1, 3,
  ]);
});

test('a refund that took a week does not count as a slow payment', async () => {
  const counted = async (operation: string) =>
    (await read()).get(`paidonce_time_to_resolve_seconds_count{operation="${operation}",source="webhook"}`);
  const resolved = { kind: 'resolved', source: 'webhook', verdict: 'completed' } as const;
  app.reconciler({ ...resolved, ...about, operation: 'refund.create', unknownForMs: 7 * 24 * 3_600_000 });
  expect([await counted('payment.create'), await counted('refund.create')]).toEqual([0, 1]);
  // So the rule has to select payments.
  const asked = selectorsIn(alerts.find(({ title }) => title === 'PaidonceSlowResolution')?.expr ?? '');
  expect(asked).toEqual([
    { name: 'paidonce_time_to_resolve_seconds_bucket', labels: { operation: 'order.pay|payment.create' } },
  ]);
});

test('the pause that the provider asked for is exported until it is over', async () => {
  const pause = 'paidonce_provider_pause_seconds{provider="stripe"}';
  expect((await read()).get(pause)).toBe(0);
  await createCircuit(db, 'stripe').pause(60_000);
  expect((await read()).get(pause)).toBeGreaterThan(30);
  expect((await read()).get('paidonce_circuit_state{provider="stripe"}')).toBe(0);
  await db.$executeRaw`UPDATE provider_circuit SET paused_until = clock_timestamp() - interval '1 second'`;
  expect((await read()).get(pause)).toBe(0);
});

test('counts survive a database that is unreachable for a while', async () => {
  let away = true;
  const flaky = new Proxy(db, {
    get: (target, name) =>
      away && name === '$executeRaw'
        ? () => Promise.reject(new Error('away'))
        : Reflect.get(target, name, target),
  });
  const process = createMetrics(flaky, { provider: 'stripe', SANDBOX_URL: '' }, createLog('test', 'silent'));
  process.engine({ kind: 'store_error', ...about, error: new Error('away') });
  await process.flush();
  away = false;
  await process.flush();
  expect((await read()).get('paidonce_store_errors_total{operation="payment.create"}')).toBe(1);
});

describe('with thirty thousand completed operations, five unknown payments and a refund that is unknown for three days', () => {
  beforeAll(async () => {
    await db.organization.create({ data: { id: 'acme', name: 'Acme', slug: 'acme' } });
    await db.$transaction(
      async (tx) => {
        await tx.$executeRaw`SET LOCAL session_replication_role = replica`;
        await tx.$executeRaw`
          INSERT INTO idempotency_record (id, tenant_id, operation, key, fingerprint, fingerprint_version, principal, status,
            recovery_point, response_status, response_body, completed_at, transition_actor, transition_cause, updated_at,
            escalated_at, unknown_since)
          SELECT gen_random_uuid(), 'acme', 'payment.create', 'key-of-the-test-' || n, 'f', 1, 'p',
            CASE WHEN n > 5 THEN 'completed' ELSE 'unknown' END, 'finished', 201, 'x', now(), 'owner', 'c',
            now() - interval '1 minute', CASE WHEN n <= 2 THEN now() END,
            CASE WHEN n <= 5 THEN now() - interval '1 minute' END
          FROM generate_series(1, 30000) n`;
        await tx.$executeRaw`
          INSERT INTO payment (id, tenant_id, operation_id, reference, amount_minor, currency, payment_method, status, completed_at)
          SELECT gen_random_uuid(), 'acme', id, key, 1000, CASE WHEN status = 'unknown' THEN 'eur' ELSE 'usd' END, 'pm_x',
            CASE WHEN status = 'unknown' THEN 'pending' ELSE 'succeeded' END,
            CASE WHEN status = 'unknown' THEN NULL ELSE now() END
          FROM idempotency_record`;
        await tx.$executeRaw`
          INSERT INTO provider_event (provider, event_id, type, tenant_id, operation_id, payload, status)
          SELECT 'stripe', 'evt_' || id, 'payment_intent.succeeded', tenant_id, id, '{}', 'processed' FROM idempotency_record
          WHERE status = 'completed' OR escalated_at IS NOT NULL`;
        await tx.$executeRaw`
          INSERT INTO refund (id, tenant_id, payment_id, operation_id, reference, amount_minor, status)
          SELECT gen_random_uuid(), 'acme', id, gen_random_uuid(), 'r', 1, 'released' FROM payment`;
        await tx.$executeRaw`
          WITH record AS (
            INSERT INTO idempotency_record (id, tenant_id, operation, key, fingerprint, fingerprint_version, principal, status,
              recovery_point, transition_actor, transition_cause, unknown_since)
            VALUES (gen_random_uuid(), 'acme', 'refund.create', 'refund-of-the-test', 'f', 1, 'p', 'unknown', 'refund_sent', 'owner', 'c',
              now() - interval '3 days')
            RETURNING id)
          INSERT INTO refund (id, tenant_id, payment_id, operation_id, reference, amount_minor, status)
          SELECT gen_random_uuid(), 'acme', payment.id, record.id, 's', 300, 'pending'
          FROM record, (SELECT id FROM payment WHERE currency = 'usd' LIMIT 1) AS payment`;
        await tx.$executeRaw`
          INSERT INTO idempotency_event (tenant_id, record_id, attempt, to_status, recovery_point, actor, cause, at)
          SELECT tenant_id, id, 1, 'in_progress', 'claimed', 'owner', 'c', now() FROM idempotency_record`;
        await tx.$executeRaw`ANALYZE`;
      },
      { timeout: 25_000 },
    );
  });

  test('the gauges say how many, how old, and how much money, of payments and of refunds', async () => {
    const values = await read();
    expect(values.get('paidonce_unknown_operations{operation="payment.create"}')).toBe(5);
    expect(values.get('paidonce_unknown_operations{operation="refund.create"}')).toBe(1);
    const age = (operation: string) =>
      values.get(`paidonce_unknown_oldest_age_seconds{operation="${operation}"}`);
    expect(age('payment.create')).toBeGreaterThanOrEqual(60);
    expect(age('payment.create')).toBeLessThan(3_600);
    expect(age('refund.create')).toBeGreaterThanOrEqual(3 * 24 * 3_600);
    const amount = (currency: string, operation: string) =>
      values.get(`paidonce_unknown_amount_minor{currency="${currency}",operation="${operation}"}`);
    expect([amount('eur', 'payment.create'), amount('usd', 'payment.create')]).toEqual([5_000, 0]);
    expect([amount('eur', 'refund.create'), amount('usd', 'refund.create')]).toEqual([0, 300]);
    expect(values.get('paidonce_operators_queue_size')).toBe(2);
    expect(values.get('paidonce_in_progress_oldest_age_seconds')).toBe(0);
    expect(values.get('paidonce_circuit_state{provider="stripe"}')).toBe(0);
    expect(values.get('paidonce_workers_alive')).toBe(0);
  });

  test('successes that Stripe has sent webhooks for, without a succeeded payment, are counted', async () => {
    expect((await read()).get('paidonce_charges_without_payment')).toBe(2);
    expect((await read()).get('paidonce_payments_without_charge')).toBe(0);
  });

  test('a payment that Stripe has denied since it was booked is counted apart from charges', async () => {
    const { id: paymentId } = await db.payment.findFirstOrThrow({ where: { status: 'succeeded' } });
    const data = { tenantId: 'acme', paymentId, intentId: 'pi_denied', reason: 'charge_denied' };
    await db.payment.updateMany({ where: { id: paymentId }, data: { providerIntentId: 'pi_denied' } });
    await db.reconciliationException.create({ data });
    const values = await read();
    expect(values.get('paidonce_payments_without_charge')).toBe(1);
    expect(values.get('paidonce_charges_without_payment')).toBe(2);
  });

  test.each([
    ['gauges', gaugesQuery],
    ['unknown', unknownQuery],
    ['money', unknownMoneyQuery.sql],
  ])('a scrape reads what is open, never whole tables: %s', async (_, query) => {
    const plan = await db.$queryRawUnsafe<{ 'QUERY PLAN': string }[]>(`EXPLAIN ${query}`);
    const lines = plan.map((row) => row['QUERY PLAN']);
    expect(lines.join('\n')).toContain('Index');
    expect(
      lines.filter((line) => /Seq Scan on (idempotency_|payment|refund|provider_event)/.test(line)),
      lines.join('\n'),
    ).toEqual([]);
  });
});
