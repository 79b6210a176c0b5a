import { expect, test } from 'vitest';
import { codeCopy, signInCopy, waitCopy } from './sign-in-copy.ts';

test('a lock says how long it lasts, in the unit a person waits in', () => {
  expect(waitCopy(1)).toBe('1 second');
  expect(waitCopy(60)).toBe('60 seconds');
  expect(waitCopy(120)).toBe('2 minutes');
  expect(waitCopy(841)).toBe('15 minutes');
  expect(signInCopy({ status: 429, code: 'ACCOUNT_LOCKED', retryAfterSeconds: 240 })).toContain('4 minutes');
});

test('a wrong address and a wrong password have the same text', () => {
  expect(signInCopy({ status: 401, code: 'INVALID_EMAIL_OR_PASSWORD' })).toBe(
    'The e-mail address or the password is not right.',
  );
});

test('a missing response is not called a wrong code', () => {
  expect(codeCopy({ status: 0 })).toContain('did not answer');
  expect(codeCopy({ status: 500 })).not.toContain('not right');
});
