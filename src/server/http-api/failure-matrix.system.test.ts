import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operationRefOf } from '#idempotency/index.ts';
import { type AppProcess, call, openSystem, type System } from '../testing/app-process.ts';

/** The failure matrix of the contract, through HTTP, against two processes of the production build: with Next, and without. */
let system: System;
let one: AppProcess;
let two: AppProcess;
let apiKey: string;

beforeAll(async () => {
  system = await openSystem();
  [one, two] = await Promise.all([system.startApp(), system.startApi()]);
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
  test('reordered fields, white space, 1200.0 and a quoted key replay the first response', async () => {
    const { amountMinor, currency, paymentMethod, reference } = paymentBody();
    const key = randomUUID();
    const first = await pay(one, key, { amountMinor, currency, paymentMethod, reference });
    const reworded = `{ "reference": "${reference}",\n"paymentMethod":"pm_card_visa", "currency":"usd","amountMinor":1200.0 }`;
    for (const [spelling, body] of [
      [key, reworded],
      [`"${key}"`, { reference, amountMinor, currency, paymentMethod }],
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

  test('while the lease of the first has expired: 422 as well, and nothing is concluded from the lease', async () => {
    const body = paymentBody({ paymentMethod: 'pm_fault_charged_no_response' });
    const key = randomUUID();
    const first = pay(one, key, body);
    // The owner has made its last commit but one, and waits for the provider.
    await system.untilCharged(body.reference);
    const record = await system.untilRecord(key, 'in_progress');
    await system.expireLease(record);
    const before = await system.db.idempotencyEvent.count({ where: { recordId: record.id } });
    expect((await pay(two, key, { ...body, amountMinor: 9000 })).json.code).toBe('idempotency_key_reused');
    expect(await system.db.idempotencyEvent.count({ where: { recordId: record.id } })).toBe(before);
    expect((await first).status).toBe(202);
  });

  test('while the first is expired: 410 with what it made, for any command, and nothing executed', async () => {
    const body = paymentBody();
    const key = randomUUID();
    const first = await pay(one, key, body);
    const { tenantId, id } = await system.untilRecord(key, 'completed');
    await system.db.$executeRaw`
      UPDATE idempotency_record SET status = 'expired', transition_actor = 'reaper', transition_cause = 'test'
      WHERE tenant_id = ${tenantId} AND id = ${id}::uuid`;
    const other = { ...body, amountMinor: 9000, reference: `${body.reference}-other` };
    for (const command of [body, other]) {
      expect(await pay(two, key, command)).toMatchObject({
        status: 410,
        json: { code: 'idempotency_key_expired', resourceId: first.json.paymentId },
      });
    }
    expect(await system.sandbox.intents(other.reference)).toBe(0);
    expect(await system.sandbox.charges(body.reference)).toHaveLength(1);
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
    // With a deadline that a process which handles 250 requests at once can keep.
    const patient = { PROVIDER_TIMEOUT_MS: '10000', LEASE_MS: '30000' };
    const apps = await Promise.all([system.startApp(patient), system.startApp(patient)]);
    // A process that has just started loads its code and connects while the others wait, for longer than it lets them.
    await Promise.all(apps.map((app) => pay(app, randomUUID(), paymentBody())));
    const body = paymentBody();
    const key = randomUUID();
    const responses = await Promise.all(
      Array.from({ length: 500 }, (_, n) => pay(apps[n % 2] ?? one, key, body)),
    );
    await Promise.all(apps.map((app) => app.kill('SIGTERM')));
    const byStatus = Map.groupBy(responses, (response) => response.status);
    const others = responses.filter(({ status }) => status !== 201 && status !== 409);
    expect(others.map(({ status, json }) => `${status} ${json.code}`)).toEqual([]);
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

describe('row 22: records of another deploy', () => {
  test.each([0, 99])('a response of schema version %s is replayed as it was stored', async (version) => {
    const [key, body] = [randomUUID(), paymentBody()];
    const first = await pay(one, key, body);
    const { tenantId, id } = await system.untilRecord(key, 'completed');
    await system.db.$executeRaw`
      UPDATE idempotency_record SET response_schema_version = ${version}
      WHERE tenant_id = ${tenantId} AND id = ${id}::uuid`;
    const again = await pay(two, key, body);
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([
      201,
      first.text,
      'true',
    ]);
    expect(await system.sandbox.charges(body.reference)).toHaveLength(1);
  });

  test('a fingerprint of a version that this deploy does not have yet proves nothing: 503, and nothing is executed', async () => {
    const [key, body] = [randomUUID(), paymentBody()];
    const scope = { tenantId: system.tenants[0].id, operation: 'payment.create', key };
    await system.db.idempotencyRecord.create({
      data: {
        ...scope,
        ...operationRefOf(scope),
        ...{ principal: 'api', fingerprint: 'f', fingerprintVersion: 99, status: 'in_progress' },
        ...{ recoveryPoint: 'claimed', transitionActor: 'request', transitionCause: 'claimed' },
        leaseUntil: new Date(Date.now() + 600_000),
      },
    });
    expect(await pay(one, key, body)).toMatchObject({
      status: 503,
      json: { code: 'idempotency_store_unavailable' },
    });
    expect(await system.sandbox.intents(body.reference)).toBe(0);
  });
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

  test('another API key of the same tenant is the same caller: it gets the replay, and finds the operation', async () => {
    const body = paymentBody();
    const key = randomUUID();
    const first = await pay(one, key, body);
    const rotated = system.tenants[0].apiKeys[1];
    const again = await pay(two, key, body, rotated);
    expect([again.status, again.text]).toEqual([201, first.text]);
    const search = await call(`${one.url}/api/v1/operations?key=${key}`, rotated);
    expect(search.json.data).toMatchObject([{ status: 'completed', operation: 'payment.create' }]);
  });

  test('another principal of the same tenant learns nothing: the same 422 as for another command, and no status', async () => {
    const body = paymentBody();
    const [own, key] = [randomUUID(), randomUUID()];
    await pay(one, own, body);
    const misuse = await pay(one, own, { ...body, amountMinor: 1 });
    const scope = { tenantId: system.tenants[0].id, operation: 'payment.create', key };
    await system.db.idempotencyRecord.create({
      data: {
        ...scope,
        ...operationRefOf(scope),
        ...{
          principal: 'order:of-a-shopper',
          fingerprint: 'f',
          fingerprintVersion: 1,
          status: 'in_progress',
        },
        ...{ recoveryPoint: 'claimed', transitionActor: 'request', transitionCause: 'claimed' },
        leaseUntil: new Date(Date.now() + 600_000),
      },
    });
    const other = await pay(one, key, body);
    expect([other.status, other.text]).toEqual([misuse.status, misuse.text]);
    const search = await call(`${one.url}/api/v1/operations?key=${key}`, apiKey);
    expect(search.json).toEqual({ data: [] });
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
  const refund = (key: string, body: object, reference = key) =>
    call(`${one.url}/api/v1/refunds`, apiKey, { key, body: { reference, ...body } });

  test('a refund retried refunds once', async () => {
    const body = paymentBody();
    const { json } = await pay(one, randomUUID(), body);
    const key = randomUUID();
    // A part, of which the provider itself would accept a second one.
    const command = { paymentId: json.paymentId, amountMinor: 500 };
    const first = await refund(key, command);
    const again = await refund(key, command);
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(first.json).toMatchObject({ status: 'succeeded', amountMinor: 500 });
    const payment = await call(`${one.url}/api/v1/payments/${json.paymentId}`, apiKey);
    expect(payment.json.refundedMinor).toBe(500);
    expect(await system.sandbox.refundsOf(String(first.json.operationId))).toMatchObject([
      { status: 'succeeded', amount: 500 },
    ]);
    // Of all that the provider has paid back, under any operation.
    expect(await system.sandbox.charges(body.reference)).toMatchObject([{ amount_refunded: 500 }]);
  });

  test('a refund retried with another API key of the tenant replays; another key with its reference is refused', async () => {
    const body = paymentBody();
    const { json } = await pay(one, randomUUID(), body);
    const key = randomUUID();
    const first = await refund(key, { paymentId: json.paymentId, amountMinor: 500 });
    const [, rotated] = system.tenants[0].apiKeys;
    const command = { paymentId: json.paymentId, amountMinor: 500, reference: key };
    const again = await call(`${two.url}/api/v1/refunds`, rotated, { key, body: command });
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(await refund(randomUUID(), command, key)).toMatchObject({
      status: 409,
      json: { code: 'refund_exists_for_reference', newKey: 'unsafe' },
    });
    expect(await system.sandbox.charges(body.reference)).toMatchObject([{ amount_refunded: 500 }]);
  });

  test("a payment's key used for a refund is another operation's key and starts afresh", async () => {
    const [key, body] = [randomUUID(), paymentBody()];
    const { json } = await pay(one, key, body);
    const refunded = await refund(key, { paymentId: json.paymentId, amountMinor: 200 });
    expect(refunded.status).toBe(201);
    expect(refunded.json.operationId).not.toBe(json.operationId);
    expect(await system.sandbox.charges(body.reference)).toMatchObject([
      { amount: 1200, amount_refunded: 200 },
    ]);
  });

  test('ten simultaneous partial refunds never pay back more than was paid', async () => {
    const body = paymentBody();
    const { json } = await pay(one, randomUUID(), body);
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => refund(randomUUID(), { paymentId: json.paymentId, amountMinor: 500 })),
    );
    expect(responses.filter((response) => response.status === 201)).toHaveLength(2);
    for (const response of responses.filter(({ status }) => status !== 201)) {
      expect([response.status, response.json.code]).toEqual([409, 'refund_exceeds_payment']);
    }
    const payment = await call(`${one.url}/api/v1/payments/${json.paymentId}`, apiKey);
    expect(payment.json.refundedMinor).toBe(1000);
    expect(await system.sandbox.charges(body.reference)).toMatchObject([{ amount_refunded: 1000 }]);
  });
});

describe('requests that are refused before a record is made', () => {
  test.each([
    ['no key', [], {}, 400, 'idempotency_key_missing'],
    ['a short key', ['abc-123'], {}, 400, 'idempotency_key_invalid'],
    ['two keys', [randomUUID(), randomUUID()], {}, 400, 'idempotency_key_invalid'],
    ['an e-mail address as key', ['jane.doe@shop.example.com'], {}, 400, 'idempotency_key_invalid'],
    ['an amount that is no integer', [randomUUID()], { amountMinor: 12.5 }, 400, 'invalid_request'],
    ['a currency we do not know', [randomUUID()], { currency: 'xxx' }, 400, 'invalid_request'],
    [
      'three decimals that no provider takes',
      [randomUUID()],
      { currency: 'kwd', amountMinor: 1234 },
      400,
      'invalid_request',
    ],
  ])('%s', async (_, key, over, status, code) => {
    const tenantId = system.tenants[0].id;
    const before = await system.db.idempotencyRecord.count({ where: { tenantId } });
    const response = await pay(one, key, paymentBody(over));
    expect([response.status, response.json.code]).toEqual([status, code]);
    expect(response.json.type).toBe(`${one.url}/problems/${code}`);
    expect((await fetch(String(response.json.type))).status).toBe(200);
    expect(await system.db.idempotencyRecord.count({ where: { tenantId } })).toBe(before);
  });

  test.each([
    ['NUL', 'invoice-\u0000'],
    ['a control character', 'invoice-\u0007'],
    ['a mark of writing direction', 'invoice-\u202e1877'],
  ])('%s in a text: 400 that names the field', async (_, reference) => {
    const response = await pay(one, randomUUID(), paymentBody({ reference }));
    expect([response.status, response.json.code]).toEqual([400, 'invalid_request']);
    expect(response.json.detail).toMatch(/^reference: /);
    const key = encodeURIComponent(`${reference.toWellFormed()}0000000000`);
    const byKey = await call(`${one.url}/api/v1/operations?key=${key}`, apiKey);
    expect(byKey.status).toBe(400);
  });

  test('a body that is too large: 413, and the connection is closed, so that the next request is not harmed', async () => {
    const url = `${one.url}/api/v1/payments`;
    const large = paymentBody({ reference: 'x'.repeat(100_000) });
    const refused = await call(url, apiKey, { key: randomUUID(), body: large });
    expect([refused.status, refused.json.code]).toEqual([413, 'body_too_large']);
    expect(refused.headers.get('connection')).toBe('close');
    expect(await pay(one, randomUUID(), paymentBody())).toMatchObject({ status: 201 });
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'a body of type %s: 415',
    async (contentType) => {
      const request = { key: randomUUID(), body: paymentBody(), contentType };
      const refused = await call(`${one.url}/api/v1/payments`, apiKey, request);
      expect([refused.status, refused.json.code]).toEqual([415, 'unsupported_media_type']);
    },
  );

  test('a wrong API key', async () => {
    const response = await pay(one, randomUUID(), paymentBody(), 'po_wrongwrongwrongwrongwrongwrong');
    expect([response.status, response.json.code]).toEqual([401, 'unauthorized']);
  });
});

describe("the caller's mistakes are 4xx, and no money moves", () => {
  test.each([
    [
      'a card that the provider does not know',
      { paymentMethod: 'pm_card_that_is_unknown' },
      'payment_method_unknown',
    ],
    ['an amount below what the provider charges', { amountMinor: 49 }, 'amount_not_chargeable'],
  ])('%s', async (_, over, code) => {
    const body = paymentBody(over);
    const key = randomUUID();
    const refused = await pay(one, key, body);
    expect([refused.status, refused.json.code]).toEqual([400, code]);
    expect(refused.json.newKey).toBe('safe');
    expect(await system.sandbox.charges(body.reference)).toEqual([]);
    const corrected = { ...body, paymentMethod: 'pm_card_visa', amountMinor: 1200 };
    expect((await pay(two, randomUUID(), corrected)).status).toBe(201);
  });
});

describe('what does not exist is a problem too', () => {
  test.each([
    ['GET', 'payments', 'POST'],
    ['DELETE', 'payments', 'POST'],
    ['PUT', `payments/${randomUUID()}`, 'GET'],
    ['PATCH', 'operations', 'GET'],
    ['POST', `operations/${randomUUID()}`, 'GET'],
  ])('%s %s: 405 with the method that is allowed', async (method, path, allowed) => {
    const refused = await call(`${one.url}/api/v1/${path}`, apiKey, { method });
    expect([refused.status, refused.json.code]).toEqual([405, 'method_not_allowed']);
    expect(refused.headers.get('allow')).toBe(`${allowed}, OPTIONS`);
  });

  test.each([
    ['GET', 'nothing'],
    ['POST', 'nothing'],
    ['GET', `refunds/${randomUUID()}`],
    ['GET', 'payments/1/charges'],
    ['DELETE', 'a/b/c/d'],
  ])('%s %s: 404', async (method, path) => {
    const refused = await call(`${one.url}/api/v1/${path}`, apiKey, { method });
    expect([refused.status, refused.json.code]).toEqual([404, 'not_found']);
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
    '/api/v1/refunds/{id}',
    '/api/v1/operations/{id}',
    '/api/v1/operations',
  ]);
});
