import { TRPCClientError } from '@trpc/client';

/** What went wrong, in words for the person who clicked. No answer is no "no": it may have happened. */
export function wordsOfError(error: unknown): string {
  if (!(error instanceof TRPCClientError)) return 'Something went wrong in this page. Reload it, then look.';
  if (!error.data) return 'The server did not answer. Reload the page to see whether it was done.';
  return firstIssue(error.message) ?? error.message;
}

/** A form that was filled in wrongly is answered with a list of what is wrong with it. */
function firstIssue(message: string): string | undefined {
  if (!message.startsWith('[')) return undefined;
  try {
    const [issue] = JSON.parse(message) as { message?: string }[];
    return issue?.message;
  } catch {
    return undefined;
  }
}
