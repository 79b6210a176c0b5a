import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenDatabase, openTestDatabase } from '#run/testing/open-database.ts';
import { becomeUnknown, createShop, runningPayment } from '../testing/rows.ts';
import { versionOf } from './watch-operation.ts';

let database: OpenDatabase;
let db: OpenDatabase['db'];

beforeAll(async () => {
  database = await openTestDatabase();
  db = database.db;
});
afterAll(() => database.close());

test('every change that the operation’s page shows changes its version, and a change of another operation does not', async () => {
  const tenantId = await createShop(db, randomUUID());
  const payment = await runningPayment(db, tenantId);
  const { id, paymentId } = payment;
  const other = await runningPayment(db, tenantId);
  const endpoint = await db.merchantWebhookEndpoint.create({
    data: { tenantId, url: 'https://shop.example/hook', secret: Buffer.from('sealed'), secretKey: 'test' },
  });
  const mail = { tenantId, toAddress: 'a@example.com', subject: 's', html: 'h', text: 't' };
  const eventId = randomUUID();
  const exception = { tenantId, paymentId, intentId: `pi_${paymentId}`, reason: 'order_cancelled' };
  const steps: Record<string, () => Promise<unknown>> = {
    'its status': () => becomeUnknown(db, payment),
    'a check': () =>
      db.idempotencyRecord.update({
        where: { tenantId_id: { tenantId, id } },
        data: { checkCount: 1, nextCheckAt: new Date() },
      }),
    'the payment’s intent': () => pay({ providerIntentId: 'pi_1' }),
    'the payment’s outcome': () => pay({ status: 'succeeded', completedAt: new Date() }),
    'the ledger': () =>
      db.ledgerEntry.createMany({
        data: [100, -100].map((amountMinor, side) => ({
          ...{ tenantId, paymentId, kind: 'payment', sourceId: paymentId, currency: 'eur', amountMinor },
          account: side === 0 ? 'provider_receivable' : 'merchant_payable',
        })),
      }),
    'an outbox event': () =>
      db.outboxEvent.create({
        data: { id: eventId, tenantId, paymentId, type: 'payment.succeeded', sourceId: paymentId },
      }),
    'an e-mail': () => db.email.create({ data: { ...mail, dedupeKey: `receipt:${paymentId}` } }),
    'an e-mail sent': () =>
      db.email.update({
        where: { tenantId_dedupeKey: { tenantId, dedupeKey: `receipt:${paymentId}` } },
        data: { status: 'sent', sentAt: new Date() },
      }),
    'a delivery': () =>
      db.merchantWebhookDelivery.create({
        data: { tenantId, eventId, endpointId: endpoint.id, type: 'payment.succeeded', body: '{}' },
      }),
    'a delivery that failed': () =>
      db.merchantWebhookDelivery.updateMany({
        where: { tenantId, eventId },
        data: { status: 'failed', lastError: 'no response' },
      }),
    'an exception': () => db.reconciliationException.create({ data: exception }),
    'the decision on it': () =>
      db.reconciliationException.updateMany({
        where: { tenantId, paymentId },
        data: { status: 'dismissed', decidedAt: new Date(), decidedBy: 'operator:1' },
      }),
    'a refund of it': () =>
      db.refund.create({
        data: {
          ...{ id: randomUUID(), tenantId, paymentId, operationId: randomUUID() },
          ...{ amountMinor: 10, status: 'pending', reference: 'return-1' },
        },
      }),
    'the refund’s success': () =>
      db.refund.updateMany({
        where: { tenantId, paymentId },
        data: { status: 'succeeded', completedAt: new Date() },
      }),
    'a misuse of its key': () =>
      db.keyMisuse.create({ data: { recordId: id, tenantId, kind: 'command', fields: 'amountMinor' } }),
    'an audit entry': () =>
      db.auditEntry.create({
        data: {
          ...{ tenantId, actorId: 'a', actorEmail: 'a@example.com', action: 'operation.reconcile' },
          ...{ subjectType: 'operation', subjectId: id },
        },
      }),
  };
  function pay(data: object) {
    return db.payment.update({ where: { tenantId_id: { tenantId, id: paymentId } }, data });
  }

  const elsewhere = await versionOf(db, other);
  const versions = new Set([await versionOf(db, payment)]);
  for (const [name, step] of Object.entries(steps)) {
    await step();
    const version = await versionOf(db, payment);
    expect(versions.has(version), name).toBe(false);
    versions.add(version);
    expect(await versionOf(db, payment), name).toBe(version);
  }
  expect(await versionOf(db, other)).toBe(elsewhere);
  expect(await versionOf(db, { tenantId: randomUUID(), id })).toBe('gone');
});
