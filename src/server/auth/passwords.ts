import { hashPassword, verifyPassword } from 'better-auth/crypto';

/**
 * Hashing a password is slow on purpose and runs in the four threads that the process also needs for names and files. One
 * at a time leaves the others to payments; ten more wait for about a second; beyond that the process is busy.
 */
const maxWaiting = 10;

/** The password was neither hashed nor compared. The same request may be sent again. */
export class PasswordsBusy extends Error {
  override name = 'PasswordsBusy';
  readonly retryAfterSeconds = 2;
}

export function createPasswords(slow = { hash: hashPassword, verify: verifyPassword }) {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (waiting > maxWaiting) return Promise.reject(new PasswordsBusy('Too many passwords at once.'));
    waiting += 1;
    const result = last.then(work).finally(() => {
      waiting -= 1;
    });
    last = result.catch(() => undefined);
    return result;
  }

  return {
    isBusy: () => waiting > maxWaiting,
    hash: (password: string) => inTurn(() => slow.hash(password)),
    verify: (tried: { hash: string; password: string }) => inTurn(() => slow.verify(tried)),
  };
}

export type Passwords = ReturnType<typeof createPasswords>;
