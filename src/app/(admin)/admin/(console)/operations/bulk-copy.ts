import type { api } from '#app/trpc/client.ts';
import { type Finding, findingOf } from './reconciled.ts';

export type BulkResult = Awaited<ReturnType<typeof api.operations.reconcileOneOfMany.mutate>>;

export function bulkFindingOf(found: BulkResult, operation: string): Finding {
  if (found.kind !== 'skipped') return findingOf(found, operation);
  switch (found.why) {
    case 'missing':
      return { tone: 'plain', title: 'Skipped.', body: 'It is no longer there.' };
    case 'not_unknown':
      return {
        tone: 'plain',
        title: 'Skipped: not unknown any more.',
        body: 'Somebody else settled it meanwhile.',
      };
    case 'provider_resting':
      return {
        tone: 'warn',
        title: 'Skipped: the provider is being given time.',
        body: 'It is not answering, or has asked for a pause. Everything unknown is looked into by itself after that.',
      };
  }
}

export function refusedFinding(error: unknown): Finding {
  const reason = error instanceof Error ? error.message : 'The server did not answer.';
  return { tone: 'danger', title: 'Nothing was found out.', body: `${reason} The operation is as it was.` };
}
