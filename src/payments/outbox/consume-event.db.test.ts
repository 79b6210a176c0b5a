import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { consumeEvent, createConsumers } from './consume-event.ts';
import { type OutboxHarness, openOutboxHarness } from './testing/harness.ts';
import { type MailServer, openMailServer } from './testing/mail-server.ts';
import { openWebhookReceiver, type WebhookReceiver } from './testing/webhook-receiver.ts';

let harness: OutboxHarness;
let mail: MailServer;
let merchant: WebhookReceiver;
let shop: string;

beforeAll(async () => {
  [harness, mail, merchant] = await Promise.all([
    openOutboxHarness(),
    openMailServer(),
    openWebhookReceiver(),
  ]);
});
beforeEach(async () => {
  mail.received.length = 0;
  merchant.received.length = 0;
  shop = await harness.openShop('Acme Coffee');
  await harness.addEndpoint(shop, merchant.url);
});
afterAll(async () => {
  await Promise.all([mail.stop(), merchant.close()]);
  await harness.close();
});

const work = () => harness.work({ mail: mail.settings });

test('row 24: an event delivered five times to two workers: one receipt, one e-mail, one webhook', async () => {
  const { payment, eventId } = await harness.buy(shop, { email: 'ada@example.com' });
  for (let copy = 0; copy < 4; copy += 1)
    await harness.duplicateJob('payment_event', { tenantId: shop, id: eventId });
  await Promise.all([work(), work()]);
  await harness.letTimePass();
  await Promise.all([work(), work()]);

  expect(mail.received).toHaveLength(1);
  expect(merchant.received).toHaveLength(1);
  expect(await harness.db.receipt.count({ where: { paymentId: payment.id } })).toBe(1);
  expect(await harness.db.email.findMany({ where: { tenantId: shop } })).toMatchObject([
    { status: 'sent', dedupeKey: `receipt:${payment.id}`, attempts: 1 },
  ]);
  expect(await harness.db.merchantWebhookDelivery.findMany({ where: { tenantId: shop } })).toMatchObject([
    { status: 'delivered', attempts: 1, lastStatus: 200 },
  ]);
  expect(await harness.jobs()).toEqual([]);
});

test('an event delivered again long after everything was done changes nothing', async () => {
  const { eventId } = await harness.buy(shop, { email: 'ada@example.com' });
  await work();
  const [email] = await harness.db.email.findMany({ where: { tenantId: shop } });
  const [delivery] = await harness.db.merchantWebhookDelivery.findMany({ where: { tenantId: shop } });
  await harness.duplicateJob('payment_event', { tenantId: shop, id: eventId });
  await harness.duplicateJob('send_email', { tenantId: shop, id: email?.id });
  await harness.duplicateJob('deliver_webhook', { tenantId: shop, id: delivery?.id });
  await work();
  expect(mail.received).toHaveLength(1);
  expect(merchant.received).toHaveLength(1);
  expect(await harness.jobs()).toEqual([]);
});

test('an event delivered again after an endpoint was added is not sent to the new one', async () => {
  const { eventId } = await harness.buy(shop);
  await work();
  await harness.addEndpoint(shop, `${merchant.url}/new`);
  await harness.duplicateJob('payment_event', { tenantId: shop, id: eventId });
  await work();
  expect(merchant.received.map(({ path }) => path)).toEqual(['/hooks']);
});

describe('while one worker sends a message, another that gets the same job does not', () => {
  test('an e-mail', async () => {
    await harness.buy(shop, { email: 'ada@example.com' });
    mail.beforeAccepting = async ({ messageId }) => {
      mail.beforeAccepting = () => undefined;
      await harness.duplicateJob('send_email', { tenantId: shop, id: messageId.slice(1, 37) });
      await work();
    };
    await work();
    await harness.letTimePass();
    await work();
    expect(mail.received).toHaveLength(1);
    expect(await harness.db.email.findMany({ where: { tenantId: shop } })).toMatchObject([
      { status: 'sent', attempts: 1 },
    ]);
    expect(await harness.jobs()).toEqual([]);
  });

  test('a webhook', async () => {
    await harness.buy(shop);
    merchant.response = async ({ headers }) => {
      merchant.response = () => 200;
      const { id } = await harness.db.merchantWebhookDelivery.findFirstOrThrow({
        where: { tenantId: shop, eventId: String(headers['webhook-id']) },
      });
      await harness.duplicateJob('deliver_webhook', { tenantId: shop, id });
      await work();
      return 200;
    };
    await work();
    await harness.letTimePass();
    await work();
    expect(merchant.received).toHaveLength(1);
    expect(await harness.jobs()).toEqual([]);
  });
});

test('a message is durable before it is sent: after consuming, nothing was sent and everything is stored', async () => {
  const { payment, eventId } = await harness.buy(shop, { email: 'ada@example.com' });
  const consumers = createConsumers({ consumers: {}, describePurchase: async () => undefined });
  await consumeEvent(harness.db, { tenantId: shop, id: eventId }, consumers);
  expect([mail.received, merchant.received]).toEqual([[], []]);
  expect(await harness.db.receipt.count({ where: { paymentId: payment.id } })).toBe(1);
  expect(await harness.db.email.findMany({ where: { tenantId: shop } })).toMatchObject([
    { status: 'queued', attempts: 0, toAddress: 'ada@example.com' },
  ]);
  expect((await harness.jobs()).map(({ task }) => task)).toEqual(['deliver_webhook', 'send_email']);
  await work();
});

test('a failing consumer does not delay the others, and they run once', async () => {
  const { eventId } = await harness.buy(shop, { email: 'ada@example.com' });
  const broken = `ALTER TABLE email ADD CONSTRAINT broken CHECK (tenant_id <> '${shop}')`;
  await harness.db.$executeRawUnsafe(broken);
  await work();
  expect(merchant.received).toHaveLength(1);
  const takenIn = await harness.db.inboxMessage.findMany({ where: { tenantId: shop, messageId: eventId } });
  expect(takenIn.map(({ consumer }) => consumer).toSorted()).toEqual([
    'merchant_webhook',
    'outcome_notice',
    'refund_notice',
  ]);
  expect(await harness.db.receipt.count({ where: { payment: { tenantId: shop } } })).toBe(0);

  await harness.db.$executeRaw`ALTER TABLE email DROP CONSTRAINT broken`;
  await harness.letTimePass();
  await work();
  expect(merchant.received).toHaveLength(1);
  expect(mail.received).toHaveLength(1);
});

describe('the recipients of an event', () => {
  test('a refund: a notice to the shopper and a webhook that names the refund', async () => {
    const { payment } = await harness.buy(shop, { email: 'ada@example.com' });
    const refundId = await harness.refund(shop, payment.id, 1400);
    const refund = await harness.db.refund.findFirstOrThrow({ where: { id: refundId } });
    await work();
    const subjects = await harness.db.email.findMany({
      where: { tenantId: shop },
      orderBy: { subject: 'asc' },
    });
    expect(subjects.map(({ subject, dedupeKey }) => [subject, dedupeKey])).toEqual([
      ['Receipt from Acme Coffee: $54.00', `receipt:${payment.id}`],
      ['Refund from Acme Coffee: $14.00', `refund:${refundId}`],
    ]);
    const messages = merchant.received.map(({ body }) => JSON.parse(body));
    expect(messages.find(({ type }) => type === 'refund.succeeded')).toMatchObject({
      data: {
        paymentId: payment.id,
        reference: payment.reference,
        amountMinor: 5400,
        refundedMinor: 1400,
        refund: { refundId, reference: refund.reference, amountMinor: 1400, status: 'succeeded' },
      },
    });
  });

  test('a decline: the merchant only', async () => {
    const { payment } = await harness.buy(shop, { email: 'ada@example.com', result: 'declined' });
    await work();
    expect(mail.received).toEqual([]);
    expect(merchant.received.map(({ body }) => JSON.parse(body))).toMatchObject([
      {
        type: 'payment.declined',
        data: { paymentId: payment.id, status: 'declined', declineCode: 'generic_decline' },
      },
    ]);
  });

  test('a shopper who gave no address: a receipt, and no e-mail', async () => {
    const { payment } = await harness.buy(shop, { order: false });
    await work();
    expect(await harness.db.receipt.count({ where: { paymentId: payment.id } })).toBe(1);
    expect(await harness.db.email.count({ where: { tenantId: shop } })).toBe(0);
  });

  test('a merchant without an endpoint: no webhook, also not to another tenant’s endpoint', async () => {
    const other = await harness.openShop('Globex');
    await harness.buy(other);
    await work();
    expect(merchant.received).toEqual([]);
  });
});
