import { TRPCClientError } from '@trpc/client';
import { expect, test } from 'vitest';
import { failureCopy } from './failure-copy.ts';
import { proofOf } from './proof.ts';

const answered = (httpStatus: number) =>
  TRPCClientError.from({ error: { code: -32000, message: 'Said by the server.', data: { httpStatus } } });

test('a command that the server refused was not done, and nothing else is said of it', () => {
  for (const status of [400, 403, 404, 409, 412, 429])
    expect(failureCopy(answered(status))).toBe('Said by the server.');
});

test('a command that failed on the server, or got no response, may have been done', () => {
  for (const error of [answered(500), answered(503), new TypeError('Failed to fetch'), undefined])
    expect(failureCopy(error)).toContain('It may have been done: check before you try again.');
});

test('what the browser or a proxy says is not shown', () => {
  for (const text of ['Failed to fetch', 'Unexpected token \'<\', "<html>bad "... is not valid JSON'])
    expect(failureCopy(TRPCClientError.from(new TypeError(text)))).toBe(
      'The server did not answer. It may have been done: check before you try again.',
    );
});

test('a password that begins or ends with a space proves who the person is, as it does when they sign in', () => {
  expect(proofOf('password', ' two spaces ')).toBe(' two spaces ');
  expect(proofOf('code', ' 123456\n')).toBe('123456');
});
