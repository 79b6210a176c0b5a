import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { maxAttempts } from './send-message.ts';
import { type OutboxHarness, openOutboxHarness } from './testing/harness.ts';
import { type MailServer, openMailServer } from './testing/mail-server.ts';

let harness: OutboxHarness;
let mail: MailServer;
let shop: string;

beforeAll(async () => {
  [harness, mail] = await Promise.all([openOutboxHarness(), openMailServer()]);
});
beforeEach(async () => {
  mail.received.length = 0;
  shop = await harness.openShop('Acme Coffee');
});
afterAll(async () => {
  await mail.stop();
  await harness.close();
});

const work = () => harness.work({ mail: mail.settings });
const emails = () => harness.db.email.findMany({ where: { tenantId: shop } });

test('a receipt names shop, order and its time, lines, amount, card and number, and its link leads to the order', async () => {
  const orderedAt = new Date('2026-11-01T09:30:00Z');
  const { payment, orderId } = await harness.buy(shop, { email: 'ada@example.com', orderedAt });
  await work();
  const [email] = await emails();
  const receipt = await harness.db.receipt.findFirstOrThrow({ where: { paymentId: payment.id } });
  expect(mail.received).toMatchObject([
    { to: ['ada@example.com'], messageId: `<${email?.id}@shop.example>` },
  ]);
  for (const form of [email?.text, email?.html]) {
    expect(form).toContain('Acme Coffee');
    expect(form).toContain(payment.reference);
    expect(form).toContain('Pour-over kettle');
    expect(form).toContain('$24.00');
    expect(form).toContain('$54.00');
    expect(form).toContain(`No. ${receipt.number}`);
    expect(form).toContain('Visa •••• 4242');
    expect(form).toContain('Ordered');
    expect(form).toContain('1 November 2026 at 09:30 UTC');
    expect(form).toContain(`https://shop.example/orders/${orderId}`);
    expect(form).toContain('Paid once');
  }
  expect(email?.html).toContain('Beans &amp; &lt;leaves&gt;');
});

test('a receipt lists every payment with its status, and the one charge by its id', async () => {
  const { payment } = await harness.buy(shop, {
    email: 'ada@example.com',
    declinedBefore: 'insufficient_funds',
  });
  await work();
  const email = await harness.db.email.findFirstOrThrow({ where: { dedupeKey: `receipt:${payment.id}` } });
  for (const form of [email.text, email.html]) {
    expect(form).toContain('2 attempts, one charge');
    expect(form).toContain('Declined, not charged: not enough money on the card');
    expect(form).toContain('Charged');
    expect(form).toContain('ch_1');
    expect(form).toContain('on any device');
  }
});

test.each([
  ['open', 'the shop is checking it'],
  ['dismissed', 'kept by the shop'],
])(
  'a receipt does not say that it was paid once when another payment was found to be charged: %s',
  async (status, label) => {
    const { payment } = await harness.buy(shop, {
      email: 'ada@example.com',
      declinedBefore: 'insufficient_funds',
    });
    const earlier = await harness.db.payment.findFirstOrThrow({
      where: { tenantId: shop, reference: payment.reference, status: 'declined' },
    });
    const about = { tenantId: shop, paymentId: earlier.id, intentId: `pi_${earlier.id}` };
    await harness.db.reconciliationException.create({
      data: { ...about, reason: 'charged_after_release', status },
    });
    await work();
    const email = await harness.db.email.findFirstOrThrow({ where: { dedupeKey: `receipt:${payment.id}` } });
    for (const form of [email.text, email.html]) {
      expect(form).toContain('Paid: $54.00');
      expect(form).toContain('charged as well');
      expect(form).toContain(label);
      expect(form).not.toMatch(/paid once|exactly once|one charge/i);
    }
  },
);

test.each(['\r\n', '\n', '\r', '\u2028'])(
  'a shop whose name has a line break (%j) and a header in it adds no header and no recipient',
  async (lineBreak) => {
    shop = await harness.openShop(
      `Acme${lineBreak}Bcc: eve@evil.example${lineBreak}${lineBreak}<script>alert(1)</script>`,
    );
    await harness.buy(shop, { email: 'ada@example.com' });
    await work();
    expect(mail.received.map(({ to }) => to)).toEqual([['ada@example.com']]);
    const [head = ''] = mail.received[0]?.raw.split(/\r?\n\r?\n/) ?? [];
    const names = head
      .split(/\r\n|[\r\n]/)
      .filter((line) => !/^[ \t]/.test(line))
      .map((line) => line.split(':')[0]?.toLowerCase());
    expect(names).toEqual(expect.arrayContaining(['from', 'to', 'subject', 'message-id', 'mime-version']));
    expect(names).not.toContain('bcc');
  },
);

test('a mail server that is down and comes back: the e-mail waits, and arrives once', async () => {
  await harness.buy(shop, { email: 'ada@example.com' });
  await mail.stop();
  await work();
  expect(await emails()).toMatchObject([
    { status: 'queued', attempts: 1, leaseUntil: null, lastError: expect.stringContaining('ECONNREFUSED') },
  ]);
  await mail.restart();
  await harness.letTimePass();
  await work();
  expect(mail.received).toHaveLength(1);
  expect(await emails()).toMatchObject([{ status: 'sent', attempts: 2, lastError: null }]);
});

test('an address the server refuses is not tried again', async () => {
  mail.refusedRecipients.add('refused@example.com');
  await harness.buy(shop, { email: 'refused@example.com' });
  await work();
  expect(await emails()).toMatchObject([
    { status: 'failed', attempts: 1, lastError: expect.stringContaining('550') },
  ]);
  expect(await harness.jobs()).toEqual([]);
});

test('after the last attempt it is failed, and no job is left', async () => {
  await harness.buy(shop, { email: 'ada@example.com' });
  await mail.stop();
  await work();
  await harness.db.email.updateMany({ where: { tenantId: shop }, data: { attempts: maxAttempts - 1 } });
  await harness.letTimePass();
  await work();
  await mail.restart();
  expect(await emails()).toMatchObject([{ status: 'failed', attempts: maxAttempts, sentAt: null }]);
  expect(await harness.jobs()).toEqual([]);
});

test('an e-mail whose every attempt was killed is given up without another', async () => {
  await harness.buy(shop, { email: 'ada@example.com' });
  await mail.stop();
  await work();
  await mail.restart();
  await harness.db.email.updateMany({ where: { tenantId: shop }, data: { attempts: maxAttempts } });
  await harness.letTimePass();
  await work();
  expect(mail.received).toEqual([]);
  expect(await emails()).toMatchObject([{ status: 'failed' }]);
});

test('without a mail server it is kept, complete, and costs no attempt', async () => {
  await harness.buy(shop, { email: 'ada@example.com' });
  await harness.work();
  expect(await emails()).toMatchObject([
    { status: 'kept', attempts: 0, text: expect.stringContaining('$54.00') },
  ]);
  expect(await harness.jobs()).toEqual([]);
});

test('the database refuses to change a sent e-mail back', async () => {
  await harness.buy(shop, { email: 'ada@example.com' });
  await work();
  const unsend = harness.db.email.updateMany({
    where: { tenantId: shop },
    data: { status: 'queued', sentAt: null },
  });
  await expect(unsend).rejects.toThrow('which is final');
});
