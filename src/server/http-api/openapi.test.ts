import { describe, expect, test } from 'vitest';
import { idempotencyProblems } from '#idempotency/index.ts';
import { apiKinds, paymentProblems } from '#payments/index.ts';
import { differencesFromDescription, type Given } from '../testing/described-response.ts';
import { describeApi } from './openapi.ts';
import { apiProblems } from './problems.ts';

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, object>>;
}
const paths = describeApi('http://shop.example').paths as Record<string, Record<string, Operation>>;

test('every operation has an id of its own, made of letters, for the names in generated clients', () => {
  const ids = Object.values(paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  expect(ids).toEqual([
    ...['createPayment', 'getPayment', 'createRefund', 'getRefund', 'getOperation', 'findOperations'],
  ]);
});

test('every problem that an operation can be refused with has its status described', () => {
  for (const { http, problems } of apiKinds) {
    const described = Object.keys(paths[`/api/v1/${http.collection}`]?.post?.responses ?? {});
    const { order_cancelled: _, ...ofPayments } = paymentProblems;
    // The methods that an address takes are those that are described for it.
    const { method_not_allowed: __, ...ofApi } = apiProblems;
    // A 202 is described by a schema of its own; batches exist in tRPC only.
    const { operation_unknown: ___, idempotency_call_batched: ____, ...ofEngine } = idempotencyProblems;
    const all = Object.values({ ...ofEngine, ...ofPayments, ...ofApi, ...problems });
    const missing = all.filter(({ http: status }) => !described.includes(String(status)));
    expect(missing.map(({ code, http: status }) => `${status} ${code}`)).toEqual([]);
  }
});

test('what can happen to every request is described for every operation, a wrong field or parameter included', () => {
  const { invalid_request, unauthorized, scope_missing, internal_error, service_unavailable } = apiProblems;
  const everywhere = [invalid_request, unauthorized, scope_missing, internal_error, service_unavailable];
  const statuses = everywhere.map(({ http }) => String(http));
  for (const [path, methods] of Object.entries(paths)) {
    for (const { responses } of Object.values(methods)) {
      expect(Object.keys(responses), path).toEqual(expect.arrayContaining(statuses));
    }
  }
});

describe('a response that is not as described is found', () => {
  const problem = {
    ...{ type: 'https://shop.example/problems/not_found', title: 't', status: 404, detail: 'd' },
    ...{ code: 'not_found', action: 'a', newKey: 'safe' },
  };
  const given = (over: Partial<Given> & { body?: object; type?: string }): Given => ({
    method: 'GET',
    url: 'http://shop.example/api/v1/payments/0197a4c2-5b1e-7c3a-9d42-1f6e8b0a7c55',
    status: 404,
    text: JSON.stringify(over.body ?? problem),
    headers: new Headers({ 'content-type': over.type ?? 'application/problem+json', allow: 'GET, OPTIONS' }),
    ...over,
  });

  test('as described', () => {
    expect(differencesFromDescription(given({}))).toEqual([]);
    expect(differencesFromDescription(given({ url: 'http://shop.example/api/health' }))).toEqual([]);
    const refused = given({ method: 'PUT', status: 405 });
    expect(differencesFromDescription(refused)).toEqual([]);
  });

  test.each<[string, Given]>([
    ['another status', given({ status: 418 })],
    ['another media type', given({ type: 'application/json' })],
    ['a field that is missing', given({ body: { ...problem, code: undefined } })],
    ['a field of another type', given({ body: { ...problem, status: '404' } })],
    ['a status that a payment cannot have', given({ body: { ...problem, paymentStatus: 'resolved' } })],
    [
      'a field that is not described',
      given({ status: 200, type: 'application/json', body: { colour: 'red' } }),
    ],
    [
      'a 405 without the methods that are allowed',
      given({ method: 'PUT', status: 405, headers: new Headers() }),
    ],
    [
      'a page for an address that does not exist',
      given({ url: 'http://shop.example/api/v1/a/b/c', text: '<html>', type: 'text/html' }),
    ],
  ])('%s', (_, response) => {
    expect(differencesFromDescription(response)).not.toEqual([]);
  });
});
