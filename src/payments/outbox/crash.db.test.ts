import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type OutboxHarness, openOutboxHarness } from './testing/harness.ts';
import { type MailServer, openMailServer } from './testing/mail-server.ts';
import { openWebhookReceiver, type WebhookReceiver } from './testing/webhook-receiver.ts';
import { holdRow, startWorkerProcess, type WorkerProcess } from './testing/worker-process.ts';

// Each test starts two processes, which on a machine that is busy with other tests takes longer than anything they do.
vi.setConfig({ testTimeout: 90_000 });

let harness: OutboxHarness;
let mail: MailServer;
let merchant: WebhookReceiver;
const workers: WorkerProcess[] = [];

beforeAll(async () => {
  [harness, mail, merchant] = await Promise.all([
    openOutboxHarness(),
    openMailServer(),
    openWebhookReceiver(),
  ]);
});
afterEach(() => Promise.all(workers.splice(0).map((worker) => worker.end('SIGKILL'))));
afterAll(async () => {
  await Promise.all([mail.stop(), merchant.close()]);
  await harness.close();
});

async function startWorker(): Promise<WorkerProcess> {
  const worker = await startWorkerProcess(harness.database.url, mail.settings);
  workers.push(worker);
  return worker;
}

/** What a receiver keeps that deduplicates by the id. */
const distinct = (ids: readonly string[]) => [...new Set(ids)];

test('row 24: a worker killed after the mail server accepted, before its commit: sent once more, as the same message', async () => {
  const shop = await harness.openShop('Acme');
  const worker = await startWorker();
  const killed = Promise.withResolvers<void>();
  mail.beforeAccepting = async ({ messageId }) => {
    mail.beforeAccepting = () => undefined;
    const held = await holdRow(harness.database.url, 'email', { tenantId: shop, id: messageId.slice(1, 37) });
    held.killWriter(worker).then(killed.resolve, killed.reject);
  };
  const { payment } = await harness.buy(shop, { email: 'ada@example.com' });
  await killed.promise;
  expect(await harness.db.email.findMany({ where: { tenantId: shop } })).toMatchObject([
    { status: 'queued', attempts: 1, sentAt: null },
  ]);

  await harness.letTimePass();
  const second = await startWorker();
  await mail.receive(2);
  await expect.poll(() => harness.jobs(), { timeout: 10_000 }).toEqual([]);
  await second.end('SIGTERM');

  expect(mail.received).toHaveLength(2);
  const [email] = await harness.db.email.findMany({ where: { tenantId: shop } });
  expect(email).toMatchObject({ status: 'sent', attempts: 2, lastError: null, leaseUntil: null });
  expect(distinct(mail.received.map(({ messageId }) => messageId))).toEqual([`<${email?.id}@shop.example>`]);
  expect(await harness.db.receipt.count({ where: { paymentId: payment.id } })).toBe(1);
});

test('row 24: a worker killed after the merchant responded, before its commit: sent once more, the same bytes under the same ids', async () => {
  const shop = await harness.openShop('Acme');
  await harness.addEndpoint(shop, merchant.url);
  const worker = await startWorker();
  const killed = Promise.withResolvers<void>();
  merchant.response = async ({ headers }) => {
    merchant.response = () => 200;
    const { id } = await harness.db.merchantWebhookDelivery.findFirstOrThrow({
      where: { tenantId: shop, eventId: String(headers['webhook-id']) },
    });
    const held = await holdRow(harness.database.url, 'merchant_webhook_delivery', { tenantId: shop, id });
    held.killWriter(worker).then(killed.resolve, killed.reject);
    return 200;
  };
  const { eventId } = await harness.buy(shop);
  await killed.promise;
  expect(await harness.db.merchantWebhookDelivery.findMany({ where: { tenantId: shop } })).toMatchObject([
    { status: 'queued', attempts: 1, deliveredAt: null },
  ]);

  await harness.letTimePass();
  const second = await startWorker();
  await merchant.receive(2);
  await expect.poll(() => harness.jobs(), { timeout: 10_000 }).toEqual([]);
  await second.end('SIGTERM');

  expect(merchant.received).toHaveLength(2);
  const [delivery] = await harness.db.merchantWebhookDelivery.findMany({ where: { tenantId: shop } });
  expect(delivery).toMatchObject({ status: 'delivered', attempts: 2, lastStatus: 200, eventId });
  expect(distinct(merchant.received.map(({ headers }) => String(headers['webhook-id'])))).toEqual([eventId]);
  expect(distinct(merchant.received.map(({ body }) => body))).toEqual([delivery?.body]);
});
