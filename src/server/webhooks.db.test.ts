import { createHmac, randomUUID } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { PrismaClient } from '#prisma';
import { type OpenDatabase, openTestDatabase } from '#run/testing/open-database.ts';
import { receiveStripeWebhook } from './webhooks.ts';

const secret = 'whsec_of_the_test';
let opened: OpenDatabase;
let lines: unknown[];

beforeAll(async () => {
  opened = await openTestDatabase();
});
afterAll(() => opened.close());
beforeEach(() => {
  lines = [];
});

/** One delivery, signed as the provider signs it. */
async function deliver(eventId: string, metadata: unknown, db = opened.db): Promise<number> {
  const body = JSON.stringify({
    id: eventId,
    object: 'event',
    type: 'payment_intent.succeeded',
    data: { object: { id: 'pi_1', object: 'payment_intent', metadata } },
  });
  const at = Math.floor(Date.now() / 1_000);
  const mac = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
  const headers = { 'stripe-signature': `t=${at},v1=${mac}` };
  const services = {
    settings: { provider: 'sandbox', SANDBOX_WEBHOOK_SECRET: secret },
    db,
    log: { info: (line: unknown) => lines.push(line) },
  };
  const request = new Request('http://shop.test', { method: 'POST', headers, body });
  return (await receiveStripeWebhook(services as never, request)).status;
}

test.each([
  ['dashes for digits', '-'.repeat(36)],
  ['digits without dashes between', '0'.repeat(36)],
  ['dashes in the wrong places', '0000000-00000-0000-0000-000000000000'],
  ['letters that are no digits', 'zzzzzzzz-zzzz-zzzz-zzzz-zzzzzzzzzzzz'],
  ['a line too many', `${randomUUID()}\n`],
  ['a number', 1],
  ['nothing', ''],
])('an event whose metadata name %s instead of an operation is stored without one', async (_, operation) => {
  const eventId = `evt_${randomUUID()}`;
  expect(await deliver(eventId, { operation, paidonce_tenant: 'acme' })).toBe(200);
  expect(await opened.db.providerEvent.findMany({ where: { eventId } })).toMatchObject([
    { operationId: null, tenantId: null, status: 'received' },
  ]);
});

test.each([
  ['in capitals', randomUUID().toUpperCase()],
  ['of no version', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
  ['of all zeros', '00000000-0000-0000-0000-000000000000'],
])('a uuid %s is one, as it is for PostgreSQL', async (_, operation) => {
  const eventId = `evt_${randomUUID()}`;
  expect(await deliver(eventId, { operation, paidonce_tenant: 'acme' })).toBe(200);
  expect(await opened.db.providerEvent.findMany({ where: { eventId } })).toMatchObject([
    { operationId: operation.toLowerCase(), tenantId: 'acme' },
  ]);
});

test.each([{}, { paidonce_tenant: '' }, { paidonce_tenant: 1 }])(
  'an operation without the tenant it belongs to (%o) is none of ours',
  async (tenant) => {
    const eventId = `evt_${randomUUID()}`;
    expect(await deliver(eventId, { operation: randomUUID(), ...tenant })).toBe(200);
    expect(await opened.db.providerEvent.findMany({ where: { eventId } })).toMatchObject([
      { operationId: null, tenantId: null, status: 'received' },
    ]);
  },
);

test('a webhook is stored and logged with the tenant of its metadata, at each delivery, and reads nothing', async () => {
  const [operation, eventId] = [randomUUID(), `evt_${randomUUID()}`];
  const metadata = { operation, paidonce_tenant: 'acme' };
  const adapter = new PrismaPg({ connectionString: opened.url });
  const db = new PrismaClient({ adapter, log: [{ emit: 'event', level: 'query' }] });
  let statements: string[] = [];
  db.$on('query', ({ query }) => {
    if (!/^(BEGIN|COMMIT)/.test(query)) statements.push(query);
  });
  try {
    expect(await deliver(eventId, metadata, db)).toBe(200);
    expect(statements).toEqual([
      expect.stringContaining('INSERT INTO provider_event'),
      expect.stringContaining('graphile_worker.add_job'),
    ]);
    statements = [];
    expect(await deliver(eventId, metadata, db)).toBe(200);
    expect(statements).toEqual([expect.stringContaining('INSERT INTO provider_event')]);
  } finally {
    await db.$disconnect();
  }
  const line = { eventId, type: 'payment_intent.succeeded', operationId: operation, tenantId: 'acme' };
  expect(lines).toEqual([
    { ...line, received: 'stored' },
    { ...line, received: 'duplicate' },
  ]);
  expect(await opened.db.providerEvent.findMany({ where: { eventId } })).toMatchObject([
    { tenantId: 'acme' },
  ]);
});
