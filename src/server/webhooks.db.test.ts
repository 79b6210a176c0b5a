import { createHmac, randomUUID } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createPrismaDriver } from '#idempotency/stores/prisma.ts';
import { PrismaClient } from '#prisma';
import { createEventReceiver } from '#reconciliation/index.ts';
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
function deliver(eventId: string, metadata: unknown, db = opened.db): Promise<number> {
  const object = { id: 'pi_1', object: 'payment_intent', metadata };
  const event = { id: eventId, object: 'event', type: 'payment_intent.succeeded', data: { object } };
  return deliverBody(JSON.stringify(event), db);
}

async function deliverBody(
  body: string,
  db = opened.db,
  at = Math.floor(Date.now() / 1_000),
): Promise<number> {
  const mac = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
  const headers = { 'stripe-signature': `t=${at},v1=${mac}` };
  const services = {
    settings: { provider: 'sandbox', SANDBOX_WEBHOOK_SECRET: secret },
    receiveEvent: createEventReceiver(createPrismaDriver(db)),
    log: { info: (line: unknown) => lines.push(line), warn: () => undefined },
  };
  const request = new Request('http://shop.test', { method: 'POST', headers, body });
  return (await receiveStripeWebhook(services as never, request)).status;
}

test.each([
  ['dashes for digits', '-'.repeat(36)],
  ['digits without dashes between', '0'.repeat(36)],
  ['dashes in the wrong places', '0000000-00000-0000-0000-000000000000'],
  ['characters that are not hexadecimal', 'zzzzzzzz-zzzz-zzzz-zzzz-zzzzzzzzzzzz'],
  ['a trailing line break', `${randomUUID()}\n`],
  ['a number', 1],
  ['nothing', ''],
])('an event whose metadata name %s instead of an operation is stored without one', async (_, operation) => {
  const eventId = `evt_${randomUUID()}`;
  expect(await deliver(eventId, { operation, paidonce_tenant: 'acme' })).toBe(200);
  expect(await opened.db.providerEvent.findMany({ where: { eventId } })).toMatchObject([
    { operationId: null, tenantId: null, status: 'ignored', outcome: 'about nothing of ours' },
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
      { operationId: null, tenantId: null, status: 'ignored', outcome: 'about nothing of ours' },
    ]);
  },
);

test.each([
  ['nothing', 'null'],
  ['a list', '[]'],
  ['an object without fields', '{}'],
  ['no id', '{"type":"charge.updated","data":{"object":{}}}'],
  ['an id that is a number', '{"id":1,"type":"charge.updated","data":{"object":{}}}'],
  ['no object', '{"id":"evt_1","type":"charge.updated"}'],
  ['an object that is a text', '{"id":"evt_1","type":"charge.updated","data":{"object":"pi_1"}}'],
  ['no JSON', 'evt_1'],
])(
  'what is signed and is no event (%s) is refused, and the same provider goes on delivering',
  async (_, body) => {
    const before = await opened.db.providerEvent.count();
    expect(await deliverBody(body)).toBe(400);
    expect(await opened.db.providerEvent.count()).toBe(before);
  },
);

test('a signed event of more than five minutes ago, which may have been recorded, is refused', async () => {
  const event = JSON.stringify({ id: `evt_${randomUUID()}`, type: 'charge.updated', data: { object: {} } });
  const now = Math.floor(Date.now() / 1_000);
  expect(await deliverBody(event, opened.db, now - 360)).toBe(400);
  expect(await deliverBody(event, opened.db, now - 240)).toBe(200);
});

test('a signed event of more than five minutes from now, which could be repeated until then, is refused', async () => {
  const event = JSON.stringify({ id: `evt_${randomUUID()}`, type: 'charge.updated', data: { object: {} } });
  const now = Math.floor(Date.now() / 1_000);
  expect(await deliverBody(event, opened.db, now + 360)).toBe(400);
  expect(await deliverBody(event, opened.db, now + 240)).toBe(200);
});

test('a webhook is stored with its job, and logged with the tenant of its metadata, by one statement for each delivery', async () => {
  const [operation, eventId] = [randomUUID(), `evt_${randomUUID()}`];
  const metadata = { operation, paidonce_tenant: 'acme' };
  const adapter = new PrismaPg({ connectionString: opened.url });
  const db = new PrismaClient({ adapter, log: [{ emit: 'event', level: 'query' }] });
  const statements: string[] = [];
  db.$on('query', ({ query }) => {
    if (!/^(BEGIN|COMMIT)/.test(query)) statements.push(query);
  });
  try {
    expect(await deliver(eventId, metadata, db)).toBe(200);
    expect(await deliver(eventId, metadata, db)).toBe(200);
    const received = expect.stringContaining('INSERT INTO provider_event');
    expect(statements).toEqual([received, received]);
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

test.each([
  ['NUL', 'a\u0000b', 'a\ufffdb'],
  ['half of a surrogate pair', 'a\ud83d', 'a\ufffd'],
  ['the other half', '\ude00b', '\ufffdb'],
  ['a whole pair', '😀', '😀'],
])(
  'an event with %s in a text is stored, because the provider would send it again for days',
  async (_, given, stored) => {
    const eventId = `evt_${randomUUID()}`;
    // With all characters above ASCII by their numbers, as some senders write them.
    const description = JSON.stringify(given).replaceAll(
      /[^ -~]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    expect(
      await deliver(eventId, {
        note: JSON.parse(description),
        operation: randomUUID(),
        paidonce_tenant: given,
      }),
    ).toBe(200);
    const { payload } = await opened.db.providerEvent.findFirstOrThrow({ where: { eventId } });
    expect(payload).toMatchObject({ data: { object: { metadata: { note: stored } } } });
  },
);

test.each([
  ['a number that PostgreSQL has no room for', '1e999999'],
  ['a number next to nothing', '1e-999999'],
  ['more brackets than PostgreSQL follows', '['.repeat(20_000) + ']'.repeat(20_000)],
])('an event with %s is stored with what we read of it', async (_, value) => {
  const [operation, eventId] = [randomUUID(), `evt_${randomUUID()}`];
  const metadata = { operation, paidonce_tenant: 'acme' };
  const object = { id: 're_1', object: 'refund', payment_intent: 'pi_1', status: 'succeeded', metadata };
  const event = { id: eventId, type: 'refund.updated', data: { object: { ...object, odd: 'ODD' } } };
  expect(await deliverBody(JSON.stringify(event).replace('"ODD"', value))).toBe(200);
  const stored = await opened.db.providerEvent.findMany({ where: { eventId } });
  expect(stored).toMatchObject([{ tenantId: 'acme', operationId: operation, payload: { data: { object } } }]);
});
