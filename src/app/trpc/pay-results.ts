import type { SendResult, StatusResult } from '#idempotency/react.ts';
import type { RouterOutputs } from '#server/trpc/outputs.ts';

type PayResponse = RouterOutputs['payments']['pay'];
export type PayResult = Exclude<PayResponse, { status: 'pending' }>;

/**
 * A page from before a deploy may get a response that it does not understand. That counts as lost, as if there had been none:
 * nothing is concluded from it, and the same key gets it again.
 */
export function sendResultOf(response: PayResponse): SendResult<PayResult> {
  if (response.status === 'pending') return { kind: 'pending', operationId: response.operationId };
  return isKnown(response) ? { kind: 'completed', result: response } : { kind: 'lost' };
}

function isKnown({ status }: { readonly status: string }): boolean {
  return status === 'succeeded' || status === 'declined';
}

type StatusView = RouterOutputs['payments']['status'];

export function statusResultOf(view: StatusView): StatusResult<PayResult> {
  switch (view.status) {
    case 'none':
      return { kind: 'none' };
    case 'in_progress':
      return { kind: 'in_progress' };
    case 'unknown':
      return {
        kind: 'unknown',
        operationId: view.operationId,
        actionUrl: view.actionUrl ?? undefined,
      };
    case 'completed':
      // The response may be deleted before the record expires.
      if (!view.response) return { kind: 'expired' };
      return isKnown(view.response) ? { kind: 'completed', result: view.response } : { kind: 'lost' };
    case 'failed_retryable':
      return { kind: 'released' };
    case 'expired':
      return { kind: 'expired' };
    default:
      return { kind: 'lost' };
  }
}
