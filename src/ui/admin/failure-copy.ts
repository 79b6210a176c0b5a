/**
 * The text after a command that failed. A server that refused it (4xx) did nothing; without a response, and after a failure of
 * the server, it may have been done.
 */
export function failureCopy(error: unknown): string {
  const why = error instanceof Error ? error.message : 'The server did not answer.';
  return isRefusal(error) ? why : `${why} It may have been done: check before you try again.`;
}

function isRefusal(error: unknown): boolean {
  const status = (error as { data?: { httpStatus?: unknown } | null } | null)?.data?.httpStatus;
  return typeof status === 'number' && status >= 400 && status < 500;
}
