import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AppProcess, call, openSystem, type System } from '../testing/app-process.ts';

/** I11 through the running system: a database from before the payment, and a provider that has forgotten the keys. */
let system: System;
let app: AppProcess;

beforeAll(async () => {
  system = await openSystem();
  app = await system.startApi();
  // No webhook brings the payment back.
  await system.sandbox.control('webhooks', { on: false });
}, 60_000);
afterAll(() => system.close());

/** The database as it was before the operation, and under another identity, as a restored backup has. */
async function restoreFromBefore(operationId: string): Promise<void> {
  const { db, tenants } = system;
  const ofPayment = '(SELECT id FROM payment WHERE tenant_id = $1 AND operation_id = $2::uuid)';
  await db.$transaction(async (tx) => {
    await tx.$executeRawUnsafe('SET LOCAL session_replication_role = replica');
    for (const sql of [
      `DELETE FROM outbox_event WHERE tenant_id = $1 AND payment_id IN ${ofPayment}`,
      `DELETE FROM ledger_entry WHERE tenant_id = $1 AND payment_id IN ${ofPayment}`,
      'DELETE FROM payment WHERE tenant_id = $1 AND operation_id = $2::uuid',
      'DELETE FROM provider_call WHERE tenant_id = $1 AND operation_id = $2::uuid',
      'DELETE FROM idempotency_event WHERE tenant_id = $1 AND record_id = $2::uuid',
      'DELETE FROM idempotency_record WHERE tenant_id = $1 AND id = $2::uuid',
    ]) {
      await tx.$executeRawUnsafe(sql, tenants[0].id, operationId);
    }
    await tx.$executeRaw`UPDATE database_history SET identity = 'the old primary'`;
  });
  await system.sandbox.forgetKeys();
}

test('a restored database sends nothing before the worker has compared it, and then ends in one charge', async () => {
  const [apiKey] = system.tenants[0].apiKeys;
  const body = {
    amountMinor: 1200,
    currency: 'usd',
    paymentMethod: 'pm_card_visa',
    reference: `invoice-${randomUUID()}`,
  };
  const key = randomUUID();
  const pay = () => call(`${app.url}/api/v1/payments`, apiKey, { key, body });
  const paid = await pay();
  expect(paid.status).toBe(201);
  await restoreFromBefore(String(paid.json.operationId));

  const waiting = await pay();
  expect([waiting.status, waiting.json.code]).toEqual([503, 'comparing_with_provider']);
  expect(waiting.headers.get('retry-after')).toBe('2');
  const worker = await system.startWorker();
  await system.untilCompared();
  const again = await pay();
  expect([again.status, again.text]).toEqual([201, paid.text]);
  expect(await system.sandbox.charges(body.reference)).toHaveLength(1);
  expect(worker.output()).toContain('compared with the provider');
});
