import { expect, test } from 'vitest';
import { sendResultOf, statusResultOf } from './pay-results.ts';

const response = {
  paymentId: 'p',
  operationId: 'o',
  status: 'succeeded',
  amountMinor: 1450,
  currency: 'eur',
  reference: 'ACME-1',
} as const;

test('a response of a server that knows more than this page is a lost response, and never a decline', () => {
  const newer = { ...response, status: 'partially_captured' } as unknown as typeof response;
  expect(sendResultOf(newer)).toEqual({ kind: 'lost' });
  expect(sendResultOf({} as typeof response)).toEqual({ kind: 'lost' });
  expect(sendResultOf(response)).toEqual({ kind: 'completed', result: response });
  expect(sendResultOf({ ...response, status: 'declined' })).toMatchObject({ kind: 'completed' });
  expect(sendResultOf({ status: 'pending', operationId: 'o' } as Parameters<typeof sendResultOf>[0])).toEqual(
    {
      kind: 'pending',
      operationId: 'o',
    },
  );
});

test('so is a status that this page does not know: it is read again', () => {
  type View = Parameters<typeof statusResultOf>[0];
  expect(statusResultOf({} as View)).toEqual({ kind: 'lost' });
  expect(statusResultOf({ status: 'paused', operationId: 'o' } as unknown as View)).toEqual({ kind: 'lost' });
  const completed = { status: 'completed', operationId: 'o', actionUrl: null } as const;
  const newer = { ...completed, response: { ...response, status: 'partially_captured' } };
  expect(statusResultOf(newer as unknown as View)).toEqual({ kind: 'lost' });
  expect(statusResultOf({ ...completed, response })).toEqual({ kind: 'completed', result: response });
  expect(statusResultOf({ ...completed, response: null })).toEqual({ kind: 'expired' });
});
