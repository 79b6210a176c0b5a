import { createHmac, randomUUID } from 'node:crypto';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AppProcess, call, openSystem, type System } from './testing/app-process.ts';

/** Rows 21 and 26 of the failure matrix: expiry, and that no process's own clock decides it. */
let system: System;
let ahead: AppProcess;
let behind: AppProcess;
let apiKey: string;

const wrongClock = (hours: number) => ({
  NODE_OPTIONS: `--import=${path.resolve('src/idempotency/testing/skewed-clock.ts')}`,
  CLOCK_SKEW_MS: String(hours * 3_600_000),
});

beforeAll(async () => {
  system = await openSystem();
  [ahead, behind] = await Promise.all([
    system.startApp(wrongClock(2)),
    system.startApi({ ...wrongClock(-2), PROVIDER_TIMEOUT_MS: '60000', LEASE_MS: '121000' }),
  ]);
  apiKey = system.tenants[0].apiKeys[0];
  // Webhook signatures are dated, and the clocks of these two processes are wrong.
  await system.sandbox.control('webhooks', { on: false });
}, 60_000);
afterAll(() => system.close());

function paymentBody(paymentMethod: string) {
  return { amountMinor: 1200, currency: 'usd', paymentMethod, reference: `invoice-${randomUUID()}` };
}

const pay = (app: AppProcess, key: string, body: unknown) =>
  call(`${app.url}/api/v1/payments`, apiKey, { key, body });

test('row 26: processes whose clocks are four hours apart share one key: a live lease holds in both, an expired one in neither', async () => {
  // A webhook signed now is two hours old to the one and of a later hour to the other. Both refuse it, and it is sent again.
  expect([await sendEvent(ahead), await sendEvent(behind)]).toEqual([400, 400]);
  const [fresh, silent] = [
    paymentBody('pm_fault_charged_no_response'),
    paymentBody('pm_fault_charged_no_response'),
  ];
  const [freshKey, silentKey] = [randomUUID(), randomUUID()];
  const [freshOwner, silentOwner] = [pay(behind, freshKey, fresh), pay(behind, silentKey, silent)];
  await Promise.all([fresh, silent].map(({ reference }) => system.untilCharged(reference)));
  expect(await pay(ahead, freshKey, fresh)).toMatchObject({
    status: 409,
    json: { code: 'idempotency_key_in_progress' },
  });

  await system.expireLease(await system.untilRecord(silentKey, 'in_progress'));
  const worker = await system.startWorker(wrongClock(2));
  expect(await silentOwner).toMatchObject({ status: 201, json: { status: 'succeeded' } });
  // The sweeper that found the expired lease has read the live one as well.
  await system.expireLease(await system.untilRecord(freshKey, 'in_progress'));
  expect(await freshOwner).toMatchObject({ status: 201, json: { status: 'succeeded' } });
  for (const { reference } of [fresh, silent]) {
    expect(await system.sandbox.charges(reference)).toHaveLength(1);
  }
  await worker.kill('SIGTERM');
});

test('row 21: after the replay window, and after the record is deleted, the key gets 410 with the payment’s id', async () => {
  const body = paymentBody('pm_card_visa');
  const key = randomUUID();
  const first = await pay(ahead, key, body);
  expect(first.status).toBe(201);
  const { tenantId, id } = await system.untilRecord(key, 'completed');
  const record = () => system.db.idempotencyRecord.findUnique({ where: { tenantId_id: { tenantId, id } } });

  await system.db.$executeRaw`
    UPDATE idempotency_record SET expires_at = clock_timestamp(), body_purge_at = clock_timestamp()
    WHERE tenant_id = ${tenantId} AND id = ${id}::uuid`;
  // A worker runs the reaper when it starts, and then once a minute.
  await (await reapedBy(() => system.untilRecord(key, 'expired'))).kill('SIGTERM');
  expect(await record()).toMatchObject({ responseBody: null });
  const expired = await pay(behind, key, body);
  expect(expired).toMatchObject({
    status: 410,
    json: { code: 'idempotency_key_expired', resourceType: 'payment', resourceId: first.json.paymentId },
  });

  await system.db.$executeRaw`
    UPDATE idempotency_record SET delete_at = clock_timestamp()
    WHERE tenant_id = ${tenantId} AND id = ${id}::uuid`;
  await (await reapedBy(() => expect.poll(record, { timeout: 20_000 }).toBeNull())).kill('SIGTERM');
  expect(await pay(ahead, key, body)).toMatchObject({
    status: 410,
    json: { code: 'idempotency_key_expired', resourceType: 'payment', resourceId: first.json.paymentId },
  });
  expect(await system.sandbox.charges(body.reference)).toHaveLength(1);
});

async function reapedBy(reaped: () => Promise<unknown>): Promise<AppProcess> {
  const worker = await system.startWorker();
  await reaped();
  return worker;
}

async function sendEvent(app: AppProcess): Promise<number> {
  const event = {
    id: `evt_${randomUUID()}`,
    object: 'event',
    type: 'customer.created',
    data: { object: {} },
  };
  const body = JSON.stringify(event);
  const at = Math.floor(Date.now() / 1000);
  const mac = createHmac('sha256', system.sandbox.webhookSecret).update(`${at}.${body}`).digest('hex');
  const headers = { 'stripe-signature': `t=${at},v1=${mac}` };
  return (await fetch(`${app.url}/api/webhooks/stripe`, { method: 'POST', headers, body })).status;
}
