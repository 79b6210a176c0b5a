import { expect, test } from 'vitest';
import { codeWords, signInWords, waitWords } from './sign-in-copy.ts';

test('a lock says how long it lasts, in the unit a person waits in', () => {
  expect(waitWords(1)).toBe('1 second');
  expect(waitWords(60)).toBe('60 seconds');
  expect(waitWords(120)).toBe('2 minutes');
  expect(waitWords(841)).toBe('15 minutes');
  expect(signInWords({ status: 429, code: 'ACCOUNT_LOCKED', retryAfterSeconds: 240 })).toContain('4 minutes');
});

test('wrong address and wrong password are the same words', () => {
  expect(signInWords({ status: 401, code: 'INVALID_EMAIL_OR_PASSWORD' })).toBe(
    'The e-mail address or the password is not right.',
  );
});

test('no answer is not called a wrong code', () => {
  expect(codeWords({ status: 0 })).toContain('did not answer');
  expect(codeWords({ status: 500 })).not.toContain('not right');
});
