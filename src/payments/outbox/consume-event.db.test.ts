import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { consumeEvent } from './consume-event.ts';
import { setWebhookEndpoint } from './endpoint.ts';
import { type MailServer, openMailServer } from './testing/mail-server.ts';
import { type OutboxStand, openOutboxStand } from './testing/harness.ts';
import { openWebhookReceiver, type WebhookReceiver } from './testing/webhook-receiver.ts';

let stand: OutboxStand;
let mail: MailServer;
let merchant: WebhookReceiver;
let shop: string;

beforeAll(async () => {
  [stand, mail, merchant] = await Promise.all([openOutboxStand(), openMailServer(), openWebhookReceiver()]);
});
beforeEach(async () => {
  mail.received.length = 0;
  merchant.received.length = 0;
  shop = await stand.openShop('Acme Coffee');
  await setWebhookEndpoint(stand.db, shop, merchant.url, 'public_or_loopback');
});
afterAll(async () => {
  await Promise.all([mail.goDown(), merchant.close()]);
  await stand.close();
});

const work = () => stand.work({ mail: mail.settings });

test('row 24: an event delivered five times to two workers: one receipt, one e-mail, one webhook', async () => {
  const { payment, eventId } = await stand.buy(shop, { email: 'ada@example.com' });
  for (let copy = 0; copy < 4; copy += 1) await stand.doubleJob('payment_event', { eventId });
  await Promise.all([work(), work()]);
  await stand.letTimePass();
  await Promise.all([work(), work()]);

  expect(mail.received).toHaveLength(1);
  expect(merchant.received).toHaveLength(1);
  expect(await stand.db.receipt.count({ where: { paymentId: payment.id } })).toBe(1);
  expect(await stand.db.email.findMany({ where: { tenantId: shop } })).toMatchObject([
    { status: 'sent', dedupeKey: `receipt:${payment.id}`, attempts: 1 },
  ]);
  expect(await stand.db.merchantWebhookDelivery.findMany({ where: { tenantId: shop } })).toMatchObject([
    { status: 'delivered', attempts: 1, lastStatus: 200 },
  ]);
  expect(await stand.jobs()).toEqual([]);
});

test('an event delivered again long after everything was done changes nothing', async () => {
  const { eventId } = await stand.buy(shop, { email: 'ada@example.com' });
  await work();
  const [email] = await stand.db.email.findMany({ where: { tenantId: shop } });
  const [delivery] = await stand.db.merchantWebhookDelivery.findMany({ where: { tenantId: shop } });
  await stand.doubleJob('payment_event', { eventId });
  await stand.doubleJob('send_email', { id: email?.id });
  await stand.doubleJob('deliver_webhook', { id: delivery?.id });
  await work();
  expect(mail.received).toHaveLength(1);
  expect(merchant.received).toHaveLength(1);
  expect(await stand.jobs()).toEqual([]);
});

test('an event delivered again after the endpoint was changed is not told to the new one', async () => {
  const { eventId } = await stand.buy(shop);
  await work();
  await setWebhookEndpoint(stand.db, shop, `${merchant.url}/new`, 'public_or_loopback');
  await stand.doubleJob('payment_event', { eventId });
  await work();
  expect(merchant.received.map(({ path }) => path)).toEqual(['/hooks']);
});

describe('while one worker performs an effect, another that gets the same job does not', () => {
  test('an e-mail', async () => {
    await stand.buy(shop, { email: 'ada@example.com' });
    mail.beforeAccepting = async ({ messageId }) => {
      mail.beforeAccepting = () => undefined;
      await stand.doubleJob('send_email', { id: messageId.slice(1, 37) });
      await work();
    };
    await work();
    await stand.letTimePass();
    await work();
    expect(mail.received).toHaveLength(1);
    expect(await stand.db.email.findMany({ where: { tenantId: shop } })).toMatchObject([
      { status: 'sent', attempts: 1 },
    ]);
    expect(await stand.jobs()).toEqual([]);
  });

  test('a webhook', async () => {
    await stand.buy(shop);
    merchant.answer = async ({ headers }) => {
      merchant.answer = () => 200;
      await stand.doubleJob('deliver_webhook', { id: headers['paidonce-delivery'] });
      await work();
      return 200;
    };
    await work();
    await stand.letTimePass();
    await work();
    expect(merchant.received).toHaveLength(1);
    expect(await stand.jobs()).toEqual([]);
  });
});

test('an effect is durable before it is performed: after consuming, nothing has left and everything is written down', async () => {
  const { payment, eventId } = await stand.buy(shop, { email: 'ada@example.com' });
  await consumeEvent(stand.db, eventId, { publicUrl: 'https://shop.example' });
  expect([mail.received, merchant.received]).toEqual([[], []]);
  expect(await stand.db.receipt.count({ where: { paymentId: payment.id } })).toBe(1);
  expect(await stand.db.email.findMany({ where: { tenantId: shop } })).toMatchObject([
    { status: 'queued', attempts: 0, toAddress: 'ada@example.com' },
  ]);
  expect((await stand.jobs()).map(({ task }) => task)).toEqual([
    'deliver_webhook',
    'payment_event',
    'send_email',
  ]);
  await work();
});

test('what one consumer can not do, the others do not wait for, and do once', async () => {
  const { eventId } = await stand.buy(shop, { email: 'ada@example.com' });
  const broken = `ALTER TABLE email ADD CONSTRAINT broken CHECK (tenant_id <> '${shop}')`;
  await stand.db.$executeRawUnsafe(broken);
  await work();
  expect(merchant.received).toHaveLength(1);
  const takenIn = await stand.db.inboxMessage.findMany({ where: { messageId: eventId } });
  expect(takenIn.map(({ consumer }) => consumer).toSorted()).toEqual(['merchant_webhook', 'refund_notice']);
  expect(await stand.db.receipt.count({ where: { payment: { tenantId: shop } } })).toBe(0);

  await stand.db.$executeRaw`ALTER TABLE email DROP CONSTRAINT broken`;
  await stand.letTimePass();
  await work();
  expect(merchant.received).toHaveLength(1);
  expect(mail.received).toHaveLength(1);
});

describe('who is told of what', () => {
  test('a refund: a notice to the shopper and a webhook that says which refund', async () => {
    const { payment } = await stand.buy(shop, { email: 'ada@example.com' });
    const refundId = await stand.refund(shop, payment.id, 1400);
    await work();
    const subjects = await stand.db.email.findMany({
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
        refund: { refundId, amountMinor: 1400, status: 'succeeded' },
      },
    });
  });

  test('a decline: the merchant only', async () => {
    const { payment } = await stand.buy(shop, { email: 'ada@example.com', result: 'declined' });
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
    const { payment } = await stand.buy(shop, { order: false });
    await work();
    expect(await stand.db.receipt.count({ where: { paymentId: payment.id } })).toBe(1);
    expect(await stand.db.email.count({ where: { tenantId: shop } })).toBe(0);
  });

  test('a merchant without an endpoint, and another tenant’s endpoint: nobody', async () => {
    const other = await stand.openShop('Globex');
    await stand.buy(other);
    await work();
    expect(merchant.received).toEqual([]);
  });
});
