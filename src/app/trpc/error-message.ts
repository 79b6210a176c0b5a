import { TRPCClientError } from '@trpc/client';

/** The text for the person who clicked. Without a response it says that the action may have happened. */
export function errorMessage(error: unknown): string {
  if (!(error instanceof TRPCClientError))
    return 'Something went wrong on this page. Reload it to see whether it was done.';
  if (!error.data) return 'The server did not answer. Reload the page to see whether it was done.';
  return firstIssue(error.message) ?? error.message;
}

/** The message of a validation error is a list of issues as JSON. */
function firstIssue(message: string): string | undefined {
  if (!message.startsWith('[')) return undefined;
  try {
    const [issue] = JSON.parse(message) as { message?: string }[];
    return issue?.message;
  } catch {
    return undefined;
  }
}
