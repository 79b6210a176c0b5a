import type { AuthProblem } from '#app/(admin)/admin/auth-client.ts';
import { codeCopy, waitCopy } from '#app/(admin)/admin/sign-in/sign-in-copy.ts';

/** Errors of the auth server for a user who is signed in. */
export function accountCopy(problem: AuthProblem): string {
  switch (problem.code) {
    case 'INVALID_PASSWORD':
      return 'This is not your password.';
    case 'PASSWORD_TOO_SHORT':
      return 'The new password needs at least 12 characters.';
    case 'PASSWORD_TOO_LONG':
      return 'The new password may have at most 128 characters.';
    case 'ACCOUNT_LOCKED':
      return `Too many wrong tries. Wait ${waitCopy(problem.retryAfterSeconds)}.`;
    case 'CODE_NEEDED':
      return 'Enter a code of your authenticator app, or a backup code, as well.';
    case 'INVALID_CODE':
    case 'INVALID_BACKUP_CODE':
      return codeCopy(problem);
    default:
      if (problem.status === 0)
        return 'The server did not answer. Reload the page to see whether it was done.';
      if (problem.status === 401) return 'You are no longer signed in. Sign in, then try this once more.';
      if (problem.status === 429) return 'Too many tries. Wait a minute.';
      return 'The server could not do that just now. Reload the page to see whether it was done.';
  }
}
