import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type OpenDatabase, openTestDatabase } from './testing/open-database.ts';
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
async function deliver(eventId: string, metadata: unknown): Promise<number> {
  const body = JSON.stringify({
    id: eventId,
    object: 'event',
    type: 'payment_intent.succeeded',
    data: { object: { id: 'pi_1', object: 'payment_intent', metadata } },
  });
  const at = Math.floor(Date.now() / 1_000);
  const mac = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
  const headers = { 'stripe-signature': `t=${at},v1=${mac}` };
  const house = {
    settings: { provider: 'sandbox', SANDBOX_WEBHOOK_SECRET: secret },
    db: opened.db,
    store: { findById: async () => undefined },
    log: { info: (line: unknown) => lines.push(line) },
  };
  const request = new Request('http://shop.test', { method: 'POST', headers, body });
  return (await receiveStripeWebhook(house as never, request)).status;
}

test.each([
  ['dashes for digits', '-'.repeat(36)],
  ['digits without dashes between', '0'.repeat(36)],
  ['dashes in the wrong places', '0000000-00000-0000-0000-000000000000'],
  ['letters that are no digits', 'zzzzzzzz-zzzz-zzzz-zzzz-zzzzzzzzzzzz'],
  ['a line too many', `${randomUUID()}\n`],
  ['a number', 1],
  ['nothing', ''],
])(
  'an event whose metadata name no operation, but %s, is kept as being about nothing of ours',
  async (_, operation) => {
    const eventId = `evt_${randomUUID()}`;
    expect(await deliver(eventId, { operation })).toBe(200);
    expect(await opened.db.providerEvent.findMany({ where: { eventId } })).toMatchObject([
      { operationId: null, status: 'received' },
    ]);
  },
);

test.each([
  ['in capitals', randomUUID().toUpperCase()],
  ['of no version', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
  ['of all zeros', '00000000-0000-0000-0000-000000000000'],
])('a uuid %s is one, as it is for PostgreSQL', async (_, operation) => {
  const eventId = `evt_${randomUUID()}`;
  expect(await deliver(eventId, { operation })).toBe(200);
  expect(await opened.db.providerEvent.findMany({ where: { eventId } })).toMatchObject([
    { operationId: operation.toLowerCase() },
  ]);
});
