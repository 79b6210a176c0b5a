import { expect, test } from 'vitest';
import { operationIdOf } from './operation-id.ts';

const scope = { tenantId: 'acme', operation: 'payment.create', key: '0f1e2d3c-4b5a-6978' };

test('the id of an operation never changes, because downstream keys are derived from it', () => {
  expect(operationIdOf(scope)).toBe('04590939-4b6f-898d-9031-aa78e6582ef1');
});

test('it is a UUID of version 8', () => {
  expect(operationIdOf(scope)).toMatch(
    /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
});

test.each([
  { ...scope, tenantId: 'globex' },
  { ...scope, operation: 'refund.create' },
  { ...scope, key: '0f1e2d3c-4b5a-6979' },
  // A separator inside a part does not make two scopes equal.
  { tenantId: 'acme","payment.create', operation: '', key: scope.key },
])('another tenant, operation or key has another id: %j', (other) => {
  expect(operationIdOf(other)).not.toBe(operationIdOf(scope));
});
