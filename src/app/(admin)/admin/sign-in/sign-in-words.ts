/** Says what to do, and never which half of the pair was wrong. */
export function signInWords(error: { status: number; code?: string | undefined }): string {
  if (error.status === 0) return 'The server did not answer. Check the connection, then sign in.';
  if (error.status === 429) return 'Too many tries. Wait a minute, then sign in.';
  if (error.code === 'INVALID_ORIGIN') {
    return 'Signing in works only at the address the server was told is its own (PUBLIC_URL). Open this page there.';
  }
  if (error.status === 401) return 'The e-mail address or the password is not right.';
  if (error.status >= 500) return 'The server could not check the login just now. Sign in again in a moment.';
  return 'The e-mail address or the password was not accepted.';
}
