import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiKeyScope } from '#console/settings/api-key-scopes.ts';
import { type ConsoleHarness, openConsoleHarness, type TestPerson } from '../testing/console-harness.ts';
import { postToCollection, readFromCollection } from './collections.ts';
import { describeApi } from './openapi.ts';
import { findOperations } from './operations.ts';

let harness: ConsoleHarness;
let owner: TestPerson;
let shop: string;
beforeAll(async () => {
  harness = await openConsoleHarness();
  shop = await harness.openShop('acme');
  owner = await harness.createMember(shop, 'owner');
});
afterAll(() => harness.close());

const bodies = {
  payments: { amountMinor: 1200, currency: 'usd', paymentMethod: 'pm_card_visa', reference: 'invoice-1' },
  refunds: { paymentId: randomUUID(), amountMinor: 100, reference: 'return-1' },
};

function request(token: string, body?: object): Request {
  return new Request('http://shop.example/api/v1/x?key=a-key-that-was-never-used', {
    method: body ? 'POST' : 'GET',
    headers: {
      authorization: `Bearer ${token}`,
      'idempotency-key': randomUUID(),
      'content-type': 'application/json',
    },
    ...(body && { body: JSON.stringify(body) }),
  });
}

const uses = {
  read: (token: string) => findOperations(harness.services, request(token)),
  pay: (token: string) => postToCollection(harness.services, request(token, bodies.payments), 'payments'),
  refund: (token: string) => postToCollection(harness.services, request(token, bodies.refunds), 'refunds'),
} satisfies Record<ApiKeyScope, (token: string) => Promise<Response>>;

describe('an API key', () => {
  test.each(Object.keys(uses) as ApiKeyScope[])('for “%s” does that and nothing else', async (scope) => {
    const { token } = await owner.call.apiKeys.create({ name: scope, scopes: [scope] });
    for (const [name, use] of Object.entries(uses)) {
      const before = await harness.db.idempotencyRecord.count();
      const response = await use(token);
      if (name === scope) {
        expect([401, 403], `${scope} used for ${name}`).not.toContain(response.status);
        continue;
      }
      expect(response.status, `${scope} used for ${name}`).toBe(403);
      expect(await response.json()).toMatchObject({ code: 'scope_missing' });
      expect(response.headers.get('www-authenticate')).toContain(`scope="${name}"`);
      expect(await harness.db.idempotencyRecord.count()).toBe(before);
    }
  });

  test('for refunds does not read what others made', async () => {
    const { token } = await owner.call.apiKeys.create({ name: 'refunds', scopes: ['refund'] });
    const found = await readFromCollection(harness.services, request(token), 'payments', randomUUID());
    expect(found.status).toBe(403);
  });

  test('ends when it says, by the database’s clock, and the console shows when', async () => {
    const { id, token } = await owner.call.apiKeys.create({ name: 'short', expiresInDays: 30 });
    expect((await uses.read(token)).status).toBe(200);
    const listed = (await owner.call.apiKeys.list()).find((key) => key.id === id);
    expect(listed).toMatchObject({ scopes: ['read', 'pay'], expiresAt: expect.any(String) });
    await harness.db.$executeRaw`
      UPDATE api_key SET expires_at = expires_at - interval '30 days' WHERE id = ${id}::uuid`;
    // A key is kept in memory for a few seconds, or until the process hears of the change.
    await expect.poll(async () => (await uses.read(token)).status, { timeout: 10_000 }).toBe(401);
  }, 20_000);

  test('without a choice ends after a year; until it is revoked only where that was chosen', async () => {
    const { id } = await owner.call.apiKeys.create({ name: 'a year' });
    const [row] = await harness.db.$queryRaw<{ days: number }[]>`
      SELECT round(extract(epoch FROM expires_at - created_at) / 86400)::int AS days FROM api_key
      WHERE id = ${id}::uuid`;
    expect(row?.days).toBe(365);
    const forever = await owner.call.apiKeys.create({ name: 'for ever', expiresInDays: null });
    expect(await harness.db.apiKey.findUnique({ where: { id: forever.id } })).toMatchObject({
      expiresAt: null,
    });
  });

  test('has scopes that the database knows', async () => {
    await expect(
      harness.db.apiKey.create({
        data: { tenantId: shop, name: 'x', prefix: 'po_x', hash: 'x', scopes: ['everything'] },
      }),
    ).rejects.toThrow();
  });
});

test('the description of the API names the scope of every operation, and its 403', () => {
  const { paths } = describeApi('http://shop.example');
  const operations = Object.values(paths as Record<string, Record<string, object>>).flatMap((path) =>
    Object.values(path),
  );
  expect(operations.length).toBeGreaterThan(4);
  for (const operation of operations) {
    expect(operation).toMatchObject({
      security: [{ apiKey: [expect.stringMatching(/^(read|pay|refund)$/)] }],
      responses: { 403: expect.anything() },
    });
  }
});
