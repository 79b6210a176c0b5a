import type { AuthProblem } from '../auth-client.ts';

/** Says what to do, and never whether the address or the password was wrong. */
export function signInCopy(error: AuthProblem): string {
  if (error.status === 0) return 'The server did not answer. Check the connection, then sign in.';
  if (error.code === 'ACCOUNT_LOCKED') {
    return `Too many wrong tries. This account is locked for ${waitCopy(error.retryAfterSeconds)}; then sign in.`;
  }
  if (error.status === 429) return 'Too many tries. Wait a minute, then sign in.';
  if (error.code === 'INVALID_ORIGIN') {
    return 'Signing in works only at the server’s own address (PUBLIC_URL). Open this page there.';
  }
  if (error.status === 401) return 'The e-mail address or the password is not right.';
  if (error.status >= 500) return 'The server could not check the login just now. Sign in again in a moment.';
  return 'The e-mail address or the password was not accepted.';
}

export function codeCopy(error: AuthProblem): string {
  switch (error.code) {
    case 'ACCOUNT_LOCKED':
      return `Too many wrong codes. The second factor is locked for ${waitCopy(error.retryAfterSeconds)}.`;
    case 'INVALID_CODE':
      return 'This code is not right, or was used before. Wait for the next one the app shows, and type that.';
    case 'INVALID_BACKUP_CODE':
      return 'This is not one of your backup codes, or it was used before.';
    case 'INVALID_TWO_FACTOR_COOKIE':
    case 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE':
      return 'That took too long, or too many tries. Start again with your password.';
    default:
      return error.status === 0
        ? 'The server did not answer. Check the connection, then send the code.'
        : 'The code could not be checked just now. Send it again in a moment.';
  }
}

export function waitCopy(seconds = 60): string {
  if (seconds <= 90) return `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`;
  return `${Math.ceil(seconds / 60)} minutes`;
}
