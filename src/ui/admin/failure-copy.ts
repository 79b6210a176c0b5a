/**
 * The text after a command that failed. A server that refused it (4xx) did nothing; without a response, and after a failure of
 * the server, it may have been done.
 */
export function failureCopy(error: unknown): string {
  const status = statusOf(error);
  // Without a status it is the browser's or a proxy's text, which is not for people.
  const why = status !== undefined && error instanceof Error ? error.message : 'The server did not answer.';
  const isRefusal = status !== undefined && status >= 400 && status < 500;
  return isRefusal ? why : `${why} It may have been done: check before you try again.`;
}

function statusOf(error: unknown): number | undefined {
  const status = (error as { data?: { httpStatus?: unknown } | null } | null)?.data?.httpStatus;
  return typeof status === 'number' ? status : undefined;
}
