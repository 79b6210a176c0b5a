import type { api } from '#app/trpc/client.ts';
import { codeCopy } from '#ui/admin/code-copy.ts';
import type { OperationStatus } from '#ui/admin/status-badge.tsx';
import type { Tone } from '#ui/notice.tsx';

export type Reconciled = Awaited<ReturnType<typeof api.operation.reconcile.mutate>>;

export interface Finding {
  readonly tone: Tone;
  readonly title: string;
  readonly body: string;
}

const ofPayment = {
  done: {
    title: 'The charge was found: payment completed.',
    body: 'The provider had taken the money. The shopper now has a receipt.',
  },
  released: {
    title: 'Not charged: the key is released.',
    body: 'It is cancelled at the provider and cannot charge any more. The shopper may pay again.',
  },
};

const ofRefund = {
  done: {
    title: 'The refund was found: refund completed.',
    body: 'The provider has paid the money back. The shopper is told by e-mail.',
  },
  released: {
    title: 'Not paid back: the key is released.',
    body: 'The provider could not pay the money back. The same amount can be refunded again.',
  },
};

export function findingOf(found: Reconciled, operation: string): Finding {
  const copy = operation === 'refund.create' ? ofRefund : ofPayment;
  switch (found.kind) {
    case 'completed':
      if (found.cause === 'provider_succeeded') return { tone: 'ok', ...copy.done };
      return {
        tone: 'ok',
        title: 'The bank had declined: payment completed.',
        body: 'Nothing was charged. The shopper may choose another card.',
      };
    case 'released':
      return { tone: 'ok', ...copy.released };
    case 'still_unknown':
      return {
        tone: 'unknown',
        title: 'Still unknown.',
        body: `${codeCopy(found.code, operation)}. It stays on this list, and nobody is told that it failed.`,
      };
    case 'nothing_to_do':
      return {
        tone: 'plain',
        title: 'Nothing to do.',
        body: found.status === 'missing' ? 'It is no longer there.' : `It was settled meanwhile.`,
      };
  }
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
