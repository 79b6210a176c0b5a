import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenDatabase, openTestDatabase } from '#server/testing/open-database.ts';
import { becomeUnknown, foundShop, runningPayment } from '../testing/rows.ts';
import { versionOf } from './watch-operation.ts';

let database: OpenDatabase;
let db: OpenDatabase['db'];

beforeAll(async () => {
  database = await openTestDatabase();
  db = database.db;
});
afterAll(() => database.close());

test('whatever the operation’s page shows changes its version, and nothing of another operation does', async () => {
  const tenantId = await foundShop(db, randomUUID());
  const { id, paymentId } = await runningPayment(db, tenantId);
  const other = await runningPayment(db, tenantId);
  const endpoint = await db.merchantWebhookEndpoint.create({
    data: { tenantId, url: 'https://shop.example/hook', secret: randomUUID() },
  });
  const letter = { tenantId, toAddress: 'a@example.com', subject: 's', html: 'h', text: 't' };
  const eventId = randomUUID();
  const lateTruth = { tenantId, paymentId, intentId: `pi_${paymentId}`, reason: 'order_cancelled' };
  const steps: Record<string, () => Promise<unknown>> = {
    'its status': () => becomeUnknown(db, id),
    'a check': () =>
      db.idempotencyRecord.update({
        where: { id },
        data: { reconcileAttempts: 1, reconcileAfter: new Date() },
      }),
    'the payment’s intent': () => pay({ providerIntentId: 'pi_1' }),
    'the payment’s outcome': () => pay({ status: 'succeeded', settledAt: new Date() }),
    'the ledger': () =>
      db.ledgerEntry.createMany({
        data: [100, -100].map((amountMinor, side) => ({
          ...{ tenantId, paymentId, kind: 'payment', sourceId: paymentId, currency: 'eur', amountMinor },
          account: side === 0 ? 'provider_receivable' : 'merchant_payable',
        })),
      }),
    'an event to tell': () =>
      db.outboxEvent.create({
        data: { id: eventId, tenantId, paymentId, type: 'payment.succeeded', sourceId: paymentId },
      }),
    'a letter': () => db.email.create({ data: { ...letter, dedupeKey: `receipt:${paymentId}` } }),
    'a letter sent': () =>
      db.email.update({
        where: { dedupeKey: `receipt:${paymentId}` },
        data: { status: 'sent', sentAt: new Date() },
      }),
    'a delivery': () =>
      db.merchantWebhookDelivery.create({
        data: { tenantId, eventId, endpointId: endpoint.id, body: '{}' },
      }),
    'a delivery that failed': () =>
      db.merchantWebhookDelivery.updateMany({
        where: { eventId },
        data: { status: 'failed', lastError: 'no answer' },
      }),
    'a late truth': () => db.lateTruth.create({ data: lateTruth }),
    'what became of it': () =>
      db.lateTruth.updateMany({
        where: { paymentId },
        data: { status: 'dismissed', decidedAt: new Date(), decidedBy: 'somebody' },
      }),
    'a refund of it': () =>
      db.refund.create({
        data: {
          ...{ id: randomUUID(), tenantId, paymentId, operationId: randomUUID() },
          ...{ amountMinor: 10, status: 'pending' },
        },
      }),
    'that the refund went through': () =>
      db.refund.updateMany({ where: { paymentId }, data: { status: 'succeeded', settledAt: new Date() } }),
    'a misuse of its key': () =>
      db.keyMisuse.create({ data: { recordId: id, tenantId, kind: 'command', fields: 'amountMinor' } }),
    'a deed': () =>
      db.auditEntry.create({
        data: {
          ...{ tenantId, actorId: 'a', actorEmail: 'a@example.com', action: 'operation.reconcile' },
          ...{ subjectType: 'operation', subjectId: id },
        },
      }),
  };
  function pay(data: object) {
    return db.payment.update({ where: { id: paymentId }, data });
  }

  const elsewhere = await versionOf(db, tenantId, other.id);
  const seen = new Set([await versionOf(db, tenantId, id)]);
  for (const [name, step] of Object.entries(steps)) {
    await step();
    const version = await versionOf(db, tenantId, id);
    expect(seen.has(version), name).toBe(false);
    seen.add(version);
    expect(await versionOf(db, tenantId, id), name).toBe(version);
  }
  expect(await versionOf(db, tenantId, other.id)).toBe(elsewhere);
  expect(await versionOf(db, randomUUID(), id)).toBe('gone');
});
