import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleHarness, openConsoleHarness, type TestPerson } from '../../testing/console-harness.ts';

let harness: ConsoleHarness;
let tenantId: string;
let [viewer, operator]: TestPerson[] = [];
beforeAll(async () => {
  harness = await openConsoleHarness();
  tenantId = await harness.openShop('acme');
  viewer = await harness.createMember(tenantId, 'viewer');
  operator = await harness.createMember(tenantId, 'operator');
});
afterAll(() => harness.close());

const price = { amountMinor: 1200, currency: 'usd' };

/** An order of the shop, and a payment of it. */
async function order(status: 'succeeded' | 'declined' | 'pending' | 'released') {
  const number = randomUUID();
  const { id: orderId } = await harness.db.order.create({ data: { tenantId, number, ...price } });
  const { id: paymentId } = await harness.db.payment.create({
    data: {
      ...{ id: randomUUID(), tenantId, operationId: randomUUID(), reference: number, status, ...price },
      ...{ paymentMethod: 'pm_card_visa', providerIntentId: randomUUID() },
      completedAt: status === 'succeeded' || status === 'declined' ? new Date() : null,
      declineCode: status === 'declined' ? 'generic_decline' : null,
    },
  });
  return { number, orderId, paymentId };
}

test.each(['declined', 'pending', 'released'] as const)(
  'a viewer does not get the link of an order whose payment is %s, by which it could be cancelled',
  async (status) => {
    const { number, orderId, paymentId } = await order(status);
    const shown = await viewer?.call.payment.get({ paymentId });
    expect(shown?.payment.reference).toBe(number);
    expect(JSON.stringify(shown)).not.toContain(orderId);
    expect((await operator?.call.payment.get({ paymentId }))?.order).toEqual({ id: orderId, number });
  },
);

test('nor by the e-mail that says that nothing was charged, and where to pay the order', async () => {
  const { orderId, paymentId } = await order('released');
  const link = `http://127.0.0.1:3000/orders/${orderId}`;
  const content = { subject: 'Not charged', html: `<a href="${link}">Pay it</a>`, text: `Pay it: ${link}` };
  const { id } = await harness.db.email.create({
    data: { tenantId, dedupeKey: `not_charged:${paymentId}:1`, toAddress: 'ada@example.com', ...content },
  });
  const shown = await viewer?.call.outbox.email({ id });
  expect(shown).toMatchObject({ subject: 'Not charged', text: 'Pay it: http://127.0.0.1:3000/orders/…' });
  expect(JSON.stringify(shown)).not.toContain(orderId);
  expect(await operator?.call.outbox.email({ id })).toMatchObject(content);
});

test('a viewer may open the order when it is paid', async () => {
  const { number, orderId, paymentId } = await order('succeeded');
  expect((await viewer?.call.payment.get({ paymentId }))?.order).toEqual({ id: orderId, number });
});

test('each notification of a payment and its refunds is shown with its own e-mail', async () => {
  const { paymentId } = await order('succeeded');
  const refund = { tenantId, paymentId, amountMinor: 100, status: 'succeeded', completedAt: new Date() };
  const { id: refundId } = await harness.db.refund.create({
    data: { ...refund, id: randomUUID(), operationId: randomUUID(), reference: randomUUID() },
  });
  const sources = [
    ['payment.succeeded', paymentId],
    ['refund.succeeded', refundId],
    ['refund.failed', refundId],
  ] as const;
  for (const [type, sourceId] of sources)
    await harness.db.outboxEvent.create({ data: { tenantId, paymentId, sourceId, type } });
  for (const [subject, about] of [
    ['The receipt', `receipt:${paymentId}`],
    ['The refund', `refund:${refundId}`],
  ] as const) {
    const content = { toAddress: 'ada@example.com', subject, html: subject, text: subject };
    await harness.db.email.create({ data: { tenantId, dedupeKey: about, ...content } });
  }
  const { messages } = (await viewer?.call.payment.get({ paymentId })) ?? {};
  expect(messages?.events.map(({ type, emails }) => [type, emails.map(({ subject }) => subject)])).toEqual([
    ['payment.succeeded', ['The receipt']],
    ['refund.succeeded', ['The refund']],
    ['refund.failed', []],
  ]);
});
