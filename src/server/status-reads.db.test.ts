import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mintApiKey } from '#console/settings/api-key-token.ts';
import { operationRefOf } from '#idempotency/index.ts';
import { openRawProvider, type RawProvider, response } from '#payments/testing/raw-provider.ts';
import { createCircuit } from '#reconciliation/index.ts';
import { openConsoleHarness } from '#server/testing/console-harness.ts';
import { findOperations, getOperation } from './http-api/operations.ts';
import { type Services, services } from './services.ts';
import { createPageContext } from './trpc/context.ts';
import { createCaller } from './trpc/root.ts';
import { payDefinition } from './trpc/routers/payments.ts';

let harness: Awaited<ReturnType<typeof openConsoleHarness>>;
let provider: RawProvider;
let h: Services;
let tenantId: string;
let orderId: string;
const apiKey = mintApiKey();
const apiPrincipal = 'api';

beforeAll(async () => {
  provider = await openRawProvider();
  harness = await openConsoleHarness({ SANDBOX_URL: provider.url });
  h = services();
  tenantId = await harness.openShop('acme');
  const { prefix, hash } = apiKey;
  await h.db.apiKey.create({ data: { tenantId, name: 'test', prefix, hash } });
  const number = `ACME-${randomUUID().slice(0, 8)}`;
  const order = await h.db.order.create({ data: { tenantId, number, amountMinor: 1450, currency: 'eur' } });
  orderId = order.id;
});
afterAll(async () => {
  await harness.close();
  await provider.close();
});

type Read = (id: string, key: string) => Promise<unknown>;

const request = (path: string) =>
  new Request(`http://127.0.0.1${path}`, { headers: { authorization: `Bearer ${apiKey.token}` } });

/** Every way to read the status of an operation. */
const reads: [name: string, principal: () => string, read: Read][] = [
  [
    'GET /operations/:id',
    () => apiPrincipal,
    async (id) => (await (await getOperation(h, request('/'), id)).json()).status,
  ],
  [
    'GET /operations?key=',
    () => apiPrincipal,
    async (_, key) => (await (await findOperations(h, request(`/?key=${key}`))).json()).data[0].status,
  ],
  [
    'a shopper’s page',
    () => `order:${orderId}`,
    async (_, key) =>
      (await createCaller(createPageContext(new Headers())).payments.status({ orderId, key })).status,
  ],
];

async function begin(principal: string, leaseMs: number) {
  const key = randomUUID();
  const operation = principal === apiPrincipal ? 'payment.create' : payDefinition.name;
  const scope = { tenantId, operation, key };
  const claimed = await h.store.claim({
    ...scope,
    ...operationRefOf(scope),
    fingerprint: 'f',
    fingerprintVersion: 1,
    fieldDigests: {},
    principal,
    leaseMs,
    effectSent: true,
  });
  if (!claimed?.granted) throw new Error('expected the claim to be granted');
  return claimed.record;
}

/** In how long the next check is due, by the database's clock. */
async function nextCheckInMs(id: string): Promise<number> {
  const [row] = await h.db.$queryRaw<{ ms: number }[]>`
    SELECT (extract(epoch FROM next_check_at - clock_timestamp()) * 1000)::float8 AS ms
    FROM idempotency_record WHERE tenant_id = ${tenantId} AND id = ${id}::uuid`;
  return row?.ms ?? Number.NaN;
}

test.each(reads)(
  '%s of an unknown operation expedites its next check, unless the last one was moments ago',
  async (_, principal, read) => {
    const record = await begin(principal(), 60_000);
    const { id, key } = record;
    await h.store.transition({
      record,
      when: { status: ['in_progress'], attempt: 1 },
      to: 'unknown',
      checkInMs: 3_600_000,
      reason: { actor: 'test', cause: 'test' },
    });
    const checked = (ago: string) => h.db.$executeRaw`
    UPDATE idempotency_record SET check_count = 9, last_checked_at = clock_timestamp() - ${ago}::interval,
      next_check_at = clock_timestamp() + interval '1 hour'
    WHERE tenant_id = ${tenantId} AND id = ${id}::uuid`;
    await checked('5 seconds');
    expect(await read(id, key)).toBe('unknown');
    expect(await nextCheckInMs(id)).toBeGreaterThan(1_000_000);
    await checked('5 minutes');
    expect(await read(id, key)).toBe('unknown');
    expect(await nextCheckInMs(id)).toBeLessThanOrEqual(0);
  },
);

test.each(reads)(
  '%s of an operation whose lease has expired says unknown, and schedules a check',
  async (_, principal, read) => {
    const { id, key } = await begin(principal(), 0);
    expect(await read(id, key)).toBe('unknown');
    expect(await nextCheckInMs(id)).toBeLessThanOrEqual(0);
    expect(
      await h.db.idempotencyEvent.findFirst({ where: { tenantId, recordId: id }, orderBy: { id: 'desc' } }),
    ).toMatchObject({
      toStatus: 'unknown',
      actor: 'reader',
      cause: 'lease_expired',
    });
  },
);

test('a 429 with Retry-After pauses the checks of all processes for that time', async () => {
  provider.respond = (socket) =>
    socket.write(response(429, { error: { type: 'invalid_request_error' } }, { 'retry-after': '60' }));
  const { id } = await begin('tester', 60_000);
  const elsewhere = createCircuit(h.db, h.settings.provider);
  expect(await elsewhere.permits()).toBe('all');
  expect(await h.provider.retrieveIntent('pi_1', { operationId: id, tenantId })).toMatchObject({
    code: 'provider_rate_limited',
  });
  await expect.poll(() => elsewhere.permits()).toBe('none');
  const asked = provider.requests.length;
  expect(await h.dueWork.beginChecks(8)).toEqual([]);
  expect(provider.requests).toHaveLength(asked);
});
