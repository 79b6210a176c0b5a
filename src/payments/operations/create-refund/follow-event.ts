import type { EventFollower } from '#payments/event-follower.ts';
import { readRefundState } from '#payments/refund-state.ts';
import type { KindParts } from '../operation-kind.ts';
import { failRefund } from './complete-refund.ts';
import { findRefundByOperation } from './refund.ts';

/**
 * A bank may return a refund days after it was paid: the account is closed, the card is gone. Until that is booked, our books
 * say that the shopper has the money. The provider's response now is the evidence.
 */
export function createRefundFollower({ db, provider }: KindParts): EventFollower {
  return {
    isSuperseded: async () => false,
    async follow({ operation, object }) {
      if (object !== undefined && object !== 'refund') return undefined;
      const refund = await findRefundByOperation(db, operation);
      const intentId = refund?.payment.providerIntentId;
      if (refund?.status !== 'succeeded' || !intentId) return undefined;
      const found = await readRefundState(provider, { ...refund, intentId });
      if (found.kind === 'no_evidence') return found;
      if (found.state !== 'failed') return undefined;
      const failed = await db.$transaction((tx) => failRefund(tx, refund));
      return failed ? { kind: 'changed', outcome: 'refund_failed' } : undefined;
    },
  };
}
