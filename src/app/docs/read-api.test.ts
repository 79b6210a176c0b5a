import { describe, expect, it, test } from 'vitest';
import { describeApi } from '#server/http-api/openapi.ts';
import type { ApiField } from '#ui/docs/api.ts';
import { readApi } from './read-api.ts';

const { operations } = readApi('http://shop.example');
const find = (summary: string) => {
  const found = operations.find((operation) => operation.summary === summary);
  if (!found) throw new Error(`There is no operation "${summary}".`);
  return found;
};

function flatten(fields: readonly ApiField[]): ApiField[] {
  return fields.flatMap((field) => [field, ...flatten(field.fields)]);
}

describe('the API reference', () => {
  it('has every operation of the description', () => {
    const listed = operations.map(({ method, path }) => `${method} ${path}`);
    const described = Object.entries(describeApi('').paths as Record<string, object>).flatMap(
      ([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(listed).toEqual(described);
    expect(listed).toEqual(
      expect.arrayContaining([
        ...['GET /api/v1/operations', 'GET /api/v1/operations/{id}', 'GET /api/v1/payments/{id}'],
        ...['POST /api/v1/payments', 'POST /api/v1/refunds'],
      ]),
    );
  });

  test.each(operations)(
    '$method $path: every field has a description',
    ({ headers, parameters, body, responses }) => {
      const fields = [...headers, ...parameters, ...body, ...responses.flatMap(({ fields }) => fields)];
      expect(flatten(fields).filter(({ description }) => description.length < 5)).toEqual([]);
    },
  );

  it('has which fields are required, and their constraints', () => {
    const { body } = find('Create a payment');
    expect(body).toMatchObject([
      { name: 'amountMinor', type: 'integer', required: true, constraints: ['1 to 99 999 999'] },
      { name: 'currency', required: true, constraints: [expect.stringMatching(/^one of usd, eur/)] },
      { name: 'paymentMethod', required: true },
      { name: 'reference', required: true, constraints: ['1 to 200 characters'] },
      { name: 'receiptEmail', type: 'e-mail address', required: false },
      { name: 'returnUrl', type: 'URL', required: false },
    ]);
  });

  it('has a curl command whose body is a valid request', () => {
    const { curl } = find('Create a payment');
    expect(curl).toContain("-H 'Authorization: Bearer po_YOUR_API_KEY'");
    expect(curl).toMatch(/-H 'Idempotency-Key: [\w-]{36}'/);
    expect(JSON.parse(/-d '([^']*)'/.exec(curl)?.[1] ?? '')).toEqual({
      amountMinor: 1200,
      currency: 'usd',
      paymentMethod: 'pm_card_visa',
      reference: 'invoice-7781',
    });
  });

  it('has example responses with the fields of their schema', () => {
    expect(JSON.parse(find('Create a payment').response)).toMatchObject({
      status: 'succeeded',
      amountMinor: 1200,
    });
    expect(JSON.parse(find('Read an operation').response)).toMatchObject({
      status: 'completed',
      response: { status: 201, body: { status: 'succeeded' } },
    });
    expect(JSON.parse(find('Find operations by idempotency key').response).data).toHaveLength(1);
  });
});
