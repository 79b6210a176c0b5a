import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { setWebhookEndpoint } from './console.ts';
import { type MailServer, openMailServer } from './testing/mail-server.ts';
import { type OutboxStand, openOutboxStand } from './testing/stand.ts';
import { openWebhookReceiver, type WebhookReceiver } from './testing/webhook-receiver.ts';
import { holdRow, startWorkerProcess, type WorkerProcess } from './testing/worker-process.ts';

let stand: OutboxStand;
let mail: MailServer;
let merchant: WebhookReceiver;
const workers: WorkerProcess[] = [];

beforeAll(async () => {
  [stand, mail, merchant] = await Promise.all([openOutboxStand(), openMailServer(), openWebhookReceiver()]);
});
afterEach(() => Promise.all(workers.splice(0).map((worker) => worker.end('SIGKILL'))));
afterAll(async () => {
  await Promise.all([mail.goDown(), merchant.close()]);
  await stand.close();
});

async function startWorker(): Promise<WorkerProcess> {
  const worker = await startWorkerProcess(stand.database.url, mail.settings);
  workers.push(worker);
  return worker;
}

/** What a mail server or a merchant that goes by the id has, after everything that came. */
const distinct = (ids: readonly string[]) => [...new Set(ids)];

test('a worker killed after the mail server accepted, before it could say so: once more, as the same message', async () => {
  const shop = await stand.openShop('Acme');
  process.stderr.write('1 ' + Math.round(performance.now()) + '\n');
  const worker = await startWorker();
  process.stderr.write('2 ' + Math.round(performance.now()) + '\n');
  const killed = Promise.withResolvers<void>();
  process.stderr.write('3 ' + Math.round(performance.now()) + '\n');
  mail.beforeAccepting = async ({ messageId }) => {
    mail.beforeAccepting = () => undefined;
    const held = await holdRow(stand.database.url, 'email', messageId.slice(1, 37));
    held.killWriter(worker).then(killed.resolve, killed.reject);
  };
  process.stderr.write('8 ' + Math.round(performance.now()) + '\n');
  const { payment } = await stand.buy(shop, { email: 'ada@example.com' });
  process.stderr.write('9 ' + Math.round(performance.now()) + '\n');
  await killed.promise;
  process.stderr.write('10 ' + Math.round(performance.now()) + '\n');
  expect(await stand.db.email.findMany({ where: { tenantId: shop } })).toMatchObject([
    { status: 'queued', attempts: 1, sentAt: null },
  ]);
  process.stderr.write('13 ' + Math.round(performance.now()) + '\n');

  await stand.letTimePass();
  process.stderr.write('15 ' + Math.round(performance.now()) + '\n');
  const second = await startWorker();
  process.stderr.write('16 ' + Math.round(performance.now()) + '\n');
  await mail.receive(2);
  process.stderr.write('17 ' + Math.round(performance.now()) + '\n');
  await expect.poll(() => stand.jobs(), { timeout: 10_000 }).toEqual([]);
  process.stderr.write('18 ' + Math.round(performance.now()) + '\n');
  await second.end('SIGTERM');
  process.stderr.write('19 ' + Math.round(performance.now()) + '\n');

  expect(mail.received).toHaveLength(2);
  process.stderr.write('21 ' + Math.round(performance.now()) + '\n');
  const [email] = await stand.db.email.findMany({ where: { tenantId: shop } });
  process.stderr.write('22 ' + Math.round(performance.now()) + '\n');
  expect(email).toMatchObject({ status: 'sent', attempts: 2, lastError: null, leaseUntil: null });
  process.stderr.write('23 ' + Math.round(performance.now()) + '\n');
  expect(distinct(mail.received.map(({ messageId }) => messageId))).toEqual([`<${email?.id}@shop.example>`]);
  process.stderr.write('24 ' + Math.round(performance.now()) + '\n');
  expect(await stand.db.receipt.count({ where: { paymentId: payment.id } })).toBe(1);
  process.stderr.write('25 ' + Math.round(performance.now()) + '\n');
});

test('a worker killed after the merchant answered, before it could say so: once more, the same bytes under the same ids', async () => {
  const shop = await stand.openShop('Acme');
  process.stderr.write('29 ' + Math.round(performance.now()) + '\n');
  await setWebhookEndpoint(stand.db, shop, merchant.url, 'public_or_loopback');
  process.stderr.write('30 ' + Math.round(performance.now()) + '\n');
  const worker = await startWorker();
  process.stderr.write('31 ' + Math.round(performance.now()) + '\n');
  const killed = Promise.withResolvers<void>();
  process.stderr.write('32 ' + Math.round(performance.now()) + '\n');
  merchant.answer = async ({ headers }) => {
    merchant.answer = () => 200;
    const held = await holdRow(
      stand.database.url,
      'merchant_webhook_delivery',
      String(headers['paidonce-delivery']),
    );
    held.killWriter(worker).then(killed.resolve, killed.reject);
    return 200;
  };
  process.stderr.write('42 ' + Math.round(performance.now()) + '\n');
  const { eventId } = await stand.buy(shop);
  process.stderr.write('43 ' + Math.round(performance.now()) + '\n');
  await killed.promise;
  process.stderr.write('44 ' + Math.round(performance.now()) + '\n');
  expect(await stand.db.merchantWebhookDelivery.findMany({ where: { tenantId: shop } })).toMatchObject([
    { status: 'queued', attempts: 1, deliveredAt: null },
  ]);
  process.stderr.write('47 ' + Math.round(performance.now()) + '\n');

  await stand.letTimePass();
  process.stderr.write('49 ' + Math.round(performance.now()) + '\n');
  const second = await startWorker();
  process.stderr.write('50 ' + Math.round(performance.now()) + '\n');
  await merchant.receive(2);
  process.stderr.write('51 ' + Math.round(performance.now()) + '\n');
  await expect.poll(() => stand.jobs(), { timeout: 10_000 }).toEqual([]);
  process.stderr.write('52 ' + Math.round(performance.now()) + '\n');
  await second.end('SIGTERM');
  process.stderr.write('53 ' + Math.round(performance.now()) + '\n');

  expect(merchant.received).toHaveLength(2);
  process.stderr.write('55 ' + Math.round(performance.now()) + '\n');
  const [delivery] = await stand.db.merchantWebhookDelivery.findMany({ where: { tenantId: shop } });
  process.stderr.write('56 ' + Math.round(performance.now()) + '\n');
  expect(delivery).toMatchObject({ status: 'delivered', attempts: 2, lastStatus: 200, eventId });
  process.stderr.write('57 ' + Math.round(performance.now()) + '\n');
  expect(distinct(merchant.received.map(({ headers }) => String(headers['paidonce-delivery'])))).toEqual([
    delivery?.id,
  ]);
  process.stderr.write('60 ' + Math.round(performance.now()) + '\n');
  expect(distinct(merchant.received.map(({ body }) => body))).toEqual([delivery?.body]);
  process.stderr.write('61 ' + Math.round(performance.now()) + '\n');
});
