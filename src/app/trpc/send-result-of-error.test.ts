import { TRPCClientError } from '@trpc/client';
import { describe, expect, it, test } from 'vitest';
import { sendResultOfError } from './send-result-of-error.ts';

function clientError(code: string | null, httpStatus: number, more: object = {}) {
  const problem = code && { code, action: 'Do this.', retryAfterSeconds: null, extensions: {}, ...more };
  const data = { code: 'SOME_CODE', httpStatus, problem };
  return TRPCClientError.from({ error: { message: 'Because.', code: -32603, data } });
}

describe('the result of a failed request', () => {
  test.each([
    ['idempotency_store_unavailable', 503],
    ['response_unreadable', 503],
    ['provider_unavailable', 503],
    ['comparing_with_provider', 503],
    ['operation_failed', 500],
    [null, 500],
    [null, 503],
  ])('%s with %i is temporary: the page retries', (code, status) => {
    expect(sendResultOfError(clientError(code, status))).toMatchObject({ kind: 'unavailable' });
  });

  test.each([
    ['provider_rejected', 502],
    ['payment_method_unknown', 400],
    ['payment_canceled', 409],
    ['order_cancelled', 409],
    ['too_many_payments', 429],
    ['payment_exists_for_reference', 409],
    [null, 400],
    [null, 404],
  ])('%s with %i would recur: it is shown', (code, status) => {
    expect(sendResultOfError(clientError(code, status))).toMatchObject({
      kind: 'refused',
      problem: { code: code ?? 'SOME_CODE', message: 'Because.', keyUsable: true },
    });
  });

  it('has the server’s advice', () => {
    expect(sendResultOfError(clientError('provider_rejected', 502))).toMatchObject({
      problem: { action: 'Do this.' },
    });
  });

  test.each([
    ['idempotency_key_reused', 422],
    ['idempotency_key_expired', 410],
  ])('%s with %i: the key cannot be used any more', (code, status) => {
    expect(sendResultOfError(clientError(code, status))).toMatchObject({
      kind: 'refused',
      problem: { keyUsable: false },
    });
  });

  it('has the time to wait for a request in progress', () => {
    const inProgress = clientError('idempotency_key_in_progress', 409, { retryAfterSeconds: 3 });
    expect(sendResultOfError(inProgress)).toEqual({ kind: 'in_progress', retryAfterMs: 3000 });
  });

  it('is a lost response in every other case', () => {
    expect(sendResultOfError(new Error('network'))).toEqual({ kind: 'lost' });
    expect(sendResultOfError(TRPCClientError.from(new Error('fetch failed')))).toEqual({ kind: 'lost' });
  });
});
