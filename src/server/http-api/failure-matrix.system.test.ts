import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AppProcess, call, openSystem, type System } from '../testing/app-process.ts';

/** The failure matrix of the contract, through HTTP, against two processes of the production build. */
let system: System;
let one: AppProcess;
let two: AppProcess;
let apiKey: string;

beforeAll(async () => {
  system = await openSystem();
  [one, two] = await Promise.all([system.startApp(), system.startApp()]);
  apiKey = system.tenants[0].apiKeys[0];
}, 60_000);
afterAll(() => system.close());

function paymentBody(over: Record<string, unknown> = {}) {
  return {
    amountMinor: 1200,
    currency: 'usd',
    paymentMethod: 'pm_card_visa',
    reference: `invoice-${randomUUID()}`,
    ...over,
  };
}

const pay = (app: AppProcess, key: string | string[], body: unknown, as = apiKey) =>
  call(`${app.url}/api/v1/payments`, as, { key, body });

describe('row 1: same key, same command, completed', () => {
  test('the replay has the same status and the same bytes, on the other process too, and one charge', async () => {
    const body = paymentBody();
    const key = randomUUID();
    const first = await pay(one, key, body);
    expect(first.status).toBe(201);
    expect(first.json).toMatchObject({ status: 'succeeded', amountMinor: 1200, reference: body.reference });
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    for (const app of [one, two]) {
      const again = await pay(app, key, body);
      expect([again.status, again.text]).toEqual([first.status, first.text]);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
    }
    expect(await system.sandbox.charges(body.reference)).toHaveLength(1);
  });
});

describe('row 2: the same command, written differently', () => {
  test('reordered fields, white space, 1200.0, a quoted key and unknown fields replay the first response', async () => {
    const { amountMinor, currency, paymentMethod, reference } = paymentBody();
    const key = randomUUID();
    const first = await pay(one, key, { amountMinor, currency, paymentMethod, reference });
    const reworded = `{ "reference": "${reference}",\n"paymentMethod":"pm_card_visa", "currency":"usd","amountMinor":1200.0 }`;
    for (const [spelling, body] of [
      [key, reworded],
      [`"${key}"`, { reference, amountMinor, currency, paymentMethod }],
      [key, { reference, amountMinor, currency, paymentMethod, foo: 'ignored' }],
    ] as const) {
      const again = await pay(two, spelling, body);
      expect([again.status, again.text]).toEqual([201, first.text]);
    }
    expect(await system.sandbox.charges(reference)).toHaveLength(1);
  });
});

describe('row 3: same key, different command', () => {
  test.each([
    ['completed', 'pm_card_visa', 201],
    ['completed as declined', 'pm_card_visa_chargeDeclined', 201],
    ['unknown', 'pm_fault_charged_reset', 202],
    ['failed_retryable', 'pm_fault_rate_limited', 503],
  ])('while the first is %s: 422, nothing executed, nothing revealed', async (_, paymentMethod, status) => {
    const body = paymentBody({ paymentMethod });
    const key = randomUUID();
    expect((await pay(one, key, body)).status).toBe(status);
    const before = await system.sandbox.charges(body.reference);
    const other = await pay(two, key, { ...body, amountMinor: 9000 });
    expect(other.status).toBe(422);
    expect(other.headers.get('content-type')).toBe('application/problem+json');
    expect(other.json).toMatchObject({ code: 'idempotency_key_reused', status: 422 });
    expect(other.text).not.toContain(body.reference);
    expect(Object.keys(other.json)).not.toContain('operationId');
    expect(await system.sandbox.charges(body.reference)).toEqual(before);
  });

  test('while the first is in progress: 422 as well, and the first goes on undisturbed', async () => {
    const body = paymentBody({ paymentMethod: 'pm_fault_charged_no_response' });
    const key = randomUUID();
    const first = pay(one, key, body);
    await system.untilRecord(key, 'in_progress');
    expect((await pay(two, key, { ...body, amountMinor: 9000 })).status).toBe(422);
    expect((await first).status).toBe(202);
  });
});

describe('row 4: many at once, on two processes', () => {
  test('500 simultaneous identical requests charge once; the rest replay or get 409 with Retry-After', async () => {
    const body = paymentBody();
    const key = randomUUID();
    const responses = await Promise.all(
      Array.from({ length: 500 }, (_, n) => pay(n % 2 ? one : two, key, body)),
    );
    const byStatus = Map.groupBy(responses, (response) => response.status);
    expect(new Set(byStatus.keys()).isSubsetOf(new Set([201, 409]))).toBe(true);
    const texts = new Set(byStatus.get(201)?.map((response) => response.text));
    expect(texts.size).toBe(1);
    for (const response of byStatus.get(409) ?? []) {
      expect(response.json.code).toBe('idempotency_key_in_progress');
      expect(response.headers.get('retry-after')).toBe('1');
    }
    expect(await system.sandbox.charges(body.reference)).toHaveLength(1);
    expect(
      responses.filter((response) => response.status === 201 && !response.headers.has('idempotent-replayed')),
    ).toHaveLength(1);
  }, 60_000);
});

describe('row 23: keys of others', () => {
  test('another tenant with the same key and command gets a payment of its own', async () => {
    const body = paymentBody();
    const key = randomUUID();
    const first = await pay(one, key, body);
    const other = await pay(one, key, body, system.tenants[1].apiKeys[0]);
    expect(other.status).toBe(201);
    expect(other.json.paymentId).not.toBe(first.json.paymentId);
    expect(other.headers.has('idempotent-replayed')).toBe(false);
  });

  test('another principal of the same tenant learns nothing: 422 for the key, 404-like silence for its status', async () => {
    const body = paymentBody();
    const key = randomUUID();
    await pay(one, key, body);
    const stranger = system.tenants[0].apiKeys[1];
    const misuse = await pay(one, key, { ...body, amountMinor: 1 });
    const other = await pay(one, key, body, stranger);
    expect([other.status, other.text]).toEqual([misuse.status, misuse.text]);
    const search = await call(`${one.url}/api/v1/operations?key=${key}`, stranger);
    expect(search.json).toEqual({ data: [] });
    const own = await call(`${one.url}/api/v1/operations?key=${key}`, apiKey);
    expect(own.json.data).toMatchObject([{ status: 'completed', operation: 'payment.create' }]);
  });

  test("another tenant's payment and operation are not found", async () => {
    const { json } = await pay(one, randomUUID(), paymentBody());
    const stranger = system.tenants[1].apiKeys[0];
    for (const path of [`payments/${json.paymentId}`, `operations/${json.operationId}`]) {
      expect((await call(`${one.url}/api/v1/${path}`, stranger)).status).toBe(404);
      expect((await call(`${one.url}/api/v1/${path}`, apiKey)).status).toBe(200);
    }
  });
});

describe('row 25: refunds', () => {
  const refund = (key: string, body: unknown) => call(`${one.url}/api/v1/refunds`, apiKey, { key, body });

  test('a refund retried refunds once', async () => {
    const { json } = await pay(one, randomUUID(), paymentBody());
    const key = randomUUID();
    const first = await refund(key, { paymentId: json.paymentId });
    const again = await refund(key, { paymentId: json.paymentId });
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(first.json).toMatchObject({ status: 'succeeded', amountMinor: 1200 });
    const payment = await call(`${one.url}/api/v1/payments/${json.paymentId}`, apiKey);
    expect(payment.json.refundedMinor).toBe(1200);
  });

  test("a payment's key used for a refund is another operation's key and starts afresh", async () => {
    const key = randomUUID();
    const { json } = await pay(one, key, paymentBody());
    expect(await refund(key, { paymentId: json.paymentId, amountMinor: 200 })).toMatchObject({ status: 201 });
  });

  test('ten simultaneous partial refunds never pay back more than was paid', async () => {
    const { json } = await pay(one, randomUUID(), paymentBody());
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => refund(randomUUID(), { paymentId: json.paymentId, amountMinor: 500 })),
    );
    expect(responses.filter((response) => response.status === 201)).toHaveLength(2);
    for (const response of responses.filter(({ status }) => status !== 201)) {
      expect([response.status, response.json.code]).toEqual([409, 'refund_exceeds_payment']);
    }
    const payment = await call(`${one.url}/api/v1/payments/${json.paymentId}`, apiKey);
    expect(payment.json.refundedMinor).toBe(1000);
  });
});

describe('requests that never get as far as a record', () => {
  test.each([
    ['no key', [], {}, 400, 'idempotency_key_missing'],
    ['a short key', ['abc-123'], {}, 400, 'idempotency_key_invalid'],
    ['two keys', [randomUUID(), randomUUID()], {}, 400, 'idempotency_key_invalid'],
    ['an e-mail address as key', ['jane.doe@shop.example.com'], {}, 400, 'idempotency_key_invalid'],
    ['an amount that is no integer', [randomUUID()], { amountMinor: 12.5 }, 400, 'invalid_request'],
    ['a currency we do not know', [randomUUID()], { currency: 'xxx' }, 400, 'invalid_request'],
  ])('%s', async (_, key, over, status, code) => {
    const tenantId = system.tenants[0].id;
    const before = await system.db.idempotencyRecord.count({ where: { tenantId } });
    const response = await pay(one, key, paymentBody(over));
    expect([response.status, response.json.code]).toEqual([status, code]);
    expect(response.json.type).toBe(`${one.url}/problems/${code}`);
    expect((await fetch(String(response.json.type))).status).toBe(200);
    expect(await system.db.idempotencyRecord.count({ where: { tenantId } })).toBe(before);
  });

  test('a wrong API key', async () => {
    const response = await pay(one, randomUUID(), paymentBody(), 'po_wrongwrongwrongwrongwrongwrong');
    expect([response.status, response.json.code]).toEqual([401, 'unauthorized']);
  });
});

test('one live payment per reference: a second key gets 409 and the payment that holds it', async () => {
  const body = paymentBody();
  const first = await pay(one, randomUUID(), body);
  const second = await pay(two, randomUUID(), body);
  expect([second.status, second.json.code]).toEqual([409, 'payment_exists_for_reference']);
  expect(second.json).toMatchObject({ paymentId: first.json.paymentId, paymentStatus: 'succeeded' });
});

test('the OpenAPI description names every route there is', async () => {
  const { json } = await call(`${one.url}/api/v1/openapi.json`, apiKey);
  expect(Object.keys(json.paths as object)).toEqual([
    '/api/v1/payments',
    '/api/v1/payments/{id}',
    '/api/v1/refunds',
    '/api/v1/operations/{id}',
    '/api/v1/operations',
  ]);
});
