import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { noticeOf, type ResultNotice } from './result-notice.ts';

export type BulkResult = RouterOutputs['operations']['reconcileOneOfMany'];

export function bulkNoticeOf(found: BulkResult, operation: string): ResultNotice {
  if (found.kind !== 'skipped') return noticeOf(found, operation);
  switch (found.why) {
    case 'missing':
      return { tone: 'plain', title: 'Skipped.', body: 'It no longer exists.' };
    case 'not_unknown':
      return {
        tone: 'plain',
        title: 'Skipped: no longer unknown.',
        body: 'It was resolved in the meantime.',
      };
    case 'provider_paused':
      return {
        tone: 'warn',
        title: 'Skipped: checks are paused.',
        body: 'The provider is not answering, or has asked for a pause. Unknown operations are checked automatically after that.',
      };
  }
}

export function errorNotice(error: unknown): ResultNotice {
  const reason = error instanceof Error ? error.message : 'The server did not answer.';
  return {
    tone: 'danger',
    title: 'No result.',
    body: `${reason} Reload the page to see whether anything changed.`,
  };
}
