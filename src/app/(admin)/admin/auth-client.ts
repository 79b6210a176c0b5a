import { twoFactorClient } from 'better-auth/client/plugins';
import { createAuthClient } from 'better-auth/react';

export const authClient = createAuthClient({ plugins: [twoFactorClient()] });

export interface AuthProblem {
  readonly status: number;
  readonly code?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/** The response of the auth server; without one the status of the problem is 0. */
export async function authResult<T>(
  call: Promise<{ data: T; error: null } | { data: null; error: AuthProblem }>,
): Promise<{ data: T; problem: undefined } | { data: undefined; problem: AuthProblem }> {
  try {
    const { data, error } = await call;
    return error ? { data: undefined, problem: error } : { data: data as T, problem: undefined };
  } catch {
    return { data: undefined, problem: { status: 0 } };
  }
}
