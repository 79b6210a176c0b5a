import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AppProcess, call, openSystem, type System } from './testing/app-process.ts';
import { type PaymentRows, paymentBody, paymentRows } from './testing/payment-rows.ts';

/** Row 16 of the failure matrix, with the real worker. What is frozen or killed is a process without Next. */
let system: System;
let app: AppProcess;
let apiKey: string;
let rows: PaymentRows;

beforeAll(async () => {
  system = await openSystem();
  [app] = await Promise.all([system.startApp(), system.startWorker()]);
  apiKey = system.tenants[0].apiKeys[0];
  rows = paymentRows(system);
}, 60_000);
afterAll(() => system.close());

const pay = (key: string, body: unknown) => call(`${app.url}/api/v1/payments`, apiKey, { key, body });

describe('row 16: an owner that stalls past its lease', () => {
  test('because its process is frozen: others complete the operation, and when it goes on it charges nothing more', async () => {
    const [key, body] = [randomUUID(), paymentBody('pm_card_visa')];
    await system.sandbox.control('webhooks', { on: false });
    await system.sandbox.control('latency', { ms: 500 });
    const frozen = await system.startApi({ PROVIDER_TIMEOUT_MS: '60000', LEASE_MS: '121000' });
    const response = call(`${frozen.url}/api/v1/payments`, apiKey, { key, body });
    const record = await system.untilRecord(key, 'in_progress');
    await expect
      .poll(() => rows.findRecord(record), { timeout: 30_000 })
      .toMatchObject({ recoveryPoint: 'confirm_sent' });
    frozen.signal('SIGSTOP');
    await system.sandbox.control('latency', { ms: 0 });
    await system.expireLease(record);
    // Charged or cancelled, depending on whether the confirm had left; both are the provider's evidence.
    await expect
      .poll(async () => (await rows.findRecord(record))?.status, { timeout: 30_000 })
      .toMatch(/completed|failed_retryable/);
    frozen.signal('SIGCONT');
    await system.sandbox.control('webhooks', { on: true });
    const late = await response;
    expect([201, 409]).toContain(late.status);
    expect(await pay(key, body)).toMatchObject({ status: 201, json: { status: 'succeeded' } });
    expect(await system.sandbox.charges(body.reference)).toHaveLength(1);
    expect(await rows.books(body.reference)).toEqual([{ status: 'succeeded', entries: 2, events: 1 }]);
    await frozen.kill('SIGTERM');
  });

  test('because its process is frozen before the confirm: another attempt is under way when it goes on, and it sends and writes nothing', async () => {
    // Charged at once, and the response takes half a minute.
    const [key, body] = [randomUUID(), paymentBody('pm_fault_slow')];
    await system.sandbox.control('webhooks', { on: false });
    await system.sandbox.control('latency', { ms: 3_000 });
    const patient = { PROVIDER_TIMEOUT_MS: '60000', LEASE_MS: '121000' };
    const [frozen, other] = await Promise.all([system.startApi(patient), system.startApi(patient)]);
    const late = call(`${frozen.url}/api/v1/payments`, apiKey, { key, body });
    const record = await system.untilRecord(key, 'in_progress');
    frozen.signal('SIGSTOP');
    expect(await rows.findRecord(record)).toMatchObject({ attempt: 1, recoveryPoint: 'claimed' });
    await system.expireLease(record);
    // The recovery point proves that nothing was sent: the sweeper releases the key, and the next attempt has another intent.
    await system.untilRecord(key, 'failed_retryable');
    await system.sandbox.control('latency', { ms: 0 });
    const paid = call(`${other.url}/api/v1/payments`, apiKey, { key, body });
    await system.untilCharged(body.reference);
    frozen.signal('SIGCONT');
    expect(await late).toMatchObject({ status: 409, json: { code: 'idempotency_key_in_progress' } });
    expect(await rows.findRecord(record)).toMatchObject({ attempt: 2, status: 'in_progress' });
    await system.sandbox.control('webhooks', { on: true });
    expect(await paid).toMatchObject({ status: 201, json: { status: 'succeeded' } });
    expect(await system.sandbox.charges(body.reference)).toHaveLength(1);
    expect(await rows.books(body.reference)).toEqual([{ status: 'succeeded', entries: 2, events: 1 }]);
    await Promise.all([frozen.kill('SIGTERM'), other.kill('SIGTERM')]);
  });

  test('is found by the sweeper, and the operation is completed without any retry of the client', async () => {
    const body = paymentBody('pm_fault_charged_no_response');
    const key = randomUUID();
    const second = await system.startApi({ PROVIDER_TIMEOUT_MS: '60000', LEASE_MS: '121000' });
    const stalled = call(`${second.url}/api/v1/payments`, apiKey, { key, body });
    const record = await system.untilRecord(key, 'in_progress');
    await system.sandbox.control('webhooks', { on: false });
    await system.untilCharged(body.reference);
    await system.expireLease(record);
    await system.untilRecord(key, 'completed');
    await system.sandbox.control('webhooks', { on: true });
    // The same commit wakes the stalled owner; it does not wait for its own deadline.
    expect(await stalled).toMatchObject({ status: 201, json: { status: 'succeeded' } });
    expect(await system.sandbox.charges(body.reference)).toHaveLength(1);
    await second.kill('SIGTERM');
  });

  /** A slow confirm at the provider, by an owner whose lease expires meanwhile. */
  async function stall(latencyMs: number) {
    const body = paymentBody('pm_card_visa');
    const key = randomUUID();
    const second = await system.startApi({ PROVIDER_TIMEOUT_MS: '60000', LEASE_MS: '121000' });
    await system.sandbox.control('webhooks', { on: false });
    await system.sandbox.control('latency', { ms: latencyMs });
    const stalled = call(`${second.url}/api/v1/payments`, apiKey, { key, body });
    const record = await system.untilRecord(key, 'in_progress');
    await expect
      .poll(() => rows.findRecord(record), { timeout: 30_000 })
      .toMatchObject({ recoveryPoint: 'confirm_sent' });
    const over = async () => {
      await system.sandbox.control('latency', { ms: 0 });
      await system.sandbox.control('webhooks', { on: true });
      await second.kill('SIGTERM');
    };
    return { body, key, record, stalled, over };
  }

  test('and then gets the response: it completes the operation that has become unknown', async () => {
    // Longer than the poller's timeout, so that only the owner gets a response.
    const { body, key, record, stalled, over } = await stall(6_000);
    await system.expireLease(record);
    await system.untilRecord(key, 'unknown');
    expect(await stalled).toMatchObject({ status: 201, json: { status: 'succeeded' } });
    await over();
    expect((await rows.transitionsOf(record)).slice(-2)).toMatchObject([
      { fromStatus: 'in_progress', toStatus: 'unknown', actor: 'sweeper' },
      { fromStatus: 'unknown', toStatus: 'completed', actor: 'owner' },
    ]);
    expect(await system.sandbox.charges(body.reference)).toHaveLength(1);
    expect(await rows.books(body.reference)).toEqual([{ status: 'succeeded', entries: 2, events: 1 }]);
  });

  test('and then gets the response after its intent was canceled: the late confirm charges nothing, and the retry pays once', async () => {
    const { body, key, record, stalled, over } = await stall(6_000);
    await system.sandbox.control('latency', { ms: 0 });
    await system.expireLease(record);
    await system.untilRecord(key, 'failed_retryable');
    expect((await stalled).status).toBe(409);
    // The confirm is still on its way; this is it, arriving.
    await expect
      .poll(() => rows.callsOf(record, 'confirm'), { timeout: 30_000 })
      .toMatchObject([{ outcome: 'responded', code: 'canceled' }]);
    expect(await system.sandbox.charges(body.reference)).toEqual([]);
    expect((await rows.transitionsOf(record)).at(-1)).toMatchObject({
      toStatus: 'failed_retryable',
      actor: 'poller',
    });
    await over();
    expect(await pay(key, body)).toMatchObject({ status: 201, json: { status: 'succeeded' } });
    expect(await system.sandbox.charges(body.reference)).toHaveLength(1);
  });

  test('killed with SIGKILL while the provider is charging: the sweeper and the poller complete the operation', async () => {
    const body = paymentBody('pm_fault_charged_no_response');
    const key = randomUUID();
    const doomed = await system.startApi();
    const lost = call(`${doomed.url}/api/v1/payments`, apiKey, { key, body }).catch(() => 'lost');
    await system.untilCharged(body.reference);
    await doomed.kill('SIGKILL');
    expect(await lost).toBe('lost');
    await system.untilRecord(key, 'completed');
    expect((await pay(key, body)).json).toMatchObject({ status: 'succeeded' });
    expect(await system.sandbox.charges(body.reference)).toHaveLength(1);
    expect(await rows.books(body.reference)).toEqual([{ status: 'succeeded', entries: 2, events: 1 }]);
  });
});
