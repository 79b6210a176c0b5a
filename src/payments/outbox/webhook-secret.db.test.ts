import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createResponseCipher } from '#idempotency/index.ts';
import type { TenantRow } from './tenant-row.ts';
import { type OutboxHarness, openOutboxHarness } from './testing/harness.ts';
import { testCipher } from './testing/keys.ts';
import { openWebhookReceiver, type WebhookReceiver } from './testing/webhook-receiver.ts';
import { rotateSecret } from './webhook-secret.ts';

let harness: OutboxHarness;
let merchant: WebhookReceiver;
let shop: string;
let endpoint: TenantRow;
let secret: string;

beforeAll(async () => {
  [harness, merchant] = await Promise.all([openOutboxHarness(), openWebhookReceiver()]);
});
beforeEach(async () => {
  merchant.received.length = 0;
  shop = await harness.openShop('Acme');
  ({ row: endpoint, secret } = await harness.addEndpoint(shop, merchant.url));
});
afterAll(async () => {
  await merchant.close();
  await harness.close();
});

const read = () =>
  harness.db.merchantWebhookEndpoint.findUniqueOrThrow({
    where: { tenantId_id: { tenantId: endpoint.tenantId, id: endpoint.id } },
  });

async function rotate(): Promise<string> {
  const rotated = await rotateSecret(harness.db, endpoint, testCipher);
  if (!rotated) throw new Error('There is no such endpoint.');
  return rotated.secret;
}

/** Which of the secrets verify the message that a purchase sends. */
async function accepted(...secrets: string[]): Promise<boolean[]> {
  merchant.received.length = 0;
  await harness.buy(shop);
  await harness.work();
  const [webhook] = merchant.received;
  return secrets.map((one) => {
    try {
      new Webhook(one).verify(webhook?.body ?? '', webhook?.headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  });
}

test('what is stored is not the secret: no column of the row contains it, and only our key opens it', async () => {
  const current = await rotate();
  const row = await read();
  const stored = [row.secret, row.oldSecret].map((bytes) => Buffer.from(bytes ?? []));
  for (const one of [secret, current]) {
    const bytes = Buffer.from(one.replace('whsec_', ''), 'base64');
    for (const column of stored) {
      expect(column.includes(one)).toBe(false);
      expect(column.includes(one.slice('whsec_'.length))).toBe(false);
      expect(column.includes(bytes)).toBe(false);
    }
  }
  const [text] = await harness.db.$queryRaw<{ text: string }[]>`
    SELECT to_jsonb(e)::text AS text FROM merchant_webhook_endpoint e WHERE tenant_id = ${shop}`;
  expect(text?.text).not.toContain(secret.slice('whsec_'.length));
  expect(text?.text).not.toContain('whsec_');

  const sealed = { keyId: 'test', body: row.secret ?? new Uint8Array() };
  expect(testCipher.open(endpoint.id, sealed)).toBe(current);
  const stranger = createResponseCipher([{ id: 'test', key: Buffer.alloc(32, 8) }]);
  expect(() => stranger.open(endpoint.id, sealed)).toThrow();
  expect(() => testCipher.open('another endpoint', sealed)).toThrow();
});

test('after a rotation both secrets verify for a day, and then the new one only', async () => {
  expect(await accepted(secret)).toEqual([true]);
  const current = await rotate();
  expect(await accepted(current, secret)).toEqual([true, true]);
  expect(String(merchant.received[0]?.headers['webhook-signature']).split(' ')).toHaveLength(2);

  await harness.db
    .$executeRaw`UPDATE merchant_webhook_endpoint SET old_secret_until = old_secret_until - interval '23 hours 50 minutes'`;
  expect(await accepted(current, secret)).toEqual([true, true]);
  await harness.db
    .$executeRaw`UPDATE merchant_webhook_endpoint SET old_secret_until = old_secret_until - interval '11 minutes'`;
  expect(await accepted(current, secret)).toEqual([true, false]);
  expect(await read()).toMatchObject({ oldSecret: null, oldSecretKey: null, oldSecretUntil: null });
});

test('a second rotation ends the first secret: two sign at most', async () => {
  const second = await rotate();
  const third = await rotate();
  expect(await accepted(third, second, secret)).toEqual([true, true, false]);
});

test('a secret that an older key sealed still signs, and is sealed again with the newest', async () => {
  const old = Buffer.alloc(32, 7);
  const cipher = createResponseCipher([
    { id: 'next', key: Buffer.alloc(32, 9) },
    { id: 'test', key: old },
  ]);
  await harness.buy(shop);
  await harness.work({ cipher });
  const [webhook] = merchant.received;
  expect(new Webhook(secret).verify(webhook?.body ?? '', webhook?.headers as never)).toBeTruthy();
  expect(await read()).toMatchObject({ secretKey: 'next' });
});
