import { findCopy } from '#payments/operations/copy.ts';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { codeCopy } from '#ui/admin/code-copy.ts';
import type { OperationStatus } from '#ui/admin/status-badge.tsx';
import type { Tone } from '#ui/notice.tsx';

export type Reconciled = RouterOutputs['operation']['reconcile'];

export interface ResultNotice {
  readonly tone: Tone;
  readonly title: string;
  readonly body: string;
}

export function noticeOf(found: Reconciled, operation: string): ResultNotice {
  const copy = findCopy(operation)?.reconciled;
  switch (found.kind) {
    case 'completed':
      return { tone: 'ok', ...(copy?.completed[found.cause] ?? genericText('Completed.', found.cause)) };
    case 'released':
      return { tone: 'ok', ...(copy?.released ?? genericText('Nothing happened.', found.cause)) };
    case 'still_unknown':
      return {
        tone: 'unknown',
        title: 'Still unknown.',
        body: `${codeCopy(found.code, operation)}. It stays unknown, and is not reported as failed.`,
      };
    case 'nothing_to_do':
      return {
        tone: 'plain',
        title: 'Nothing to do.',
        body: found.status === 'missing' ? 'It no longer exists.' : 'It was resolved in the meantime.',
      };
  }
}

/** Of an operation, or for a cause, that this version has no copy for. */
function genericText(title: string, cause: string): { title: string; body: string } {
  return { title, body: `${codeCopy(cause)}.` };
}

/** The status that the list will show once it has been read again. */
export function statusAfter(before: OperationStatus, found: Reconciled): OperationStatus {
  switch (found.kind) {
    case 'completed':
      return 'completed';
    case 'released':
      return 'failed_retryable';
    case 'still_unknown':
      return before;
    case 'nothing_to_do':
      return found.status === 'missing' ? before : found.status;
  }
}
