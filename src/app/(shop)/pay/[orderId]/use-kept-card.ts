import { useState } from 'react';
import type { AttemptState } from '#idempotency/react.ts';
import type { PayAnswer, PayCommand } from '#app/trpc/pay.ts';

/**
 * A card in Stripe's fields is gone with the page, but its name was written down before it was sent. While that attempt
 * has not ended, it goes on with the card it has; only one that is certainly over asks for a card again.
 */
export function useKeptCard(state: AttemptState<PayAnswer>, sent: PayCommand | undefined) {
  /** Entered since the page was loaded: the fields still hold it, and may be changed once nothing is under way. */
  const [entered, setEntered] = useState(false);
  const [another, setAnother] = useState(false);
  const settled = state.kind === 'ready' || state.kind === 'refused';
  const unusable = state.kind === 'refused' && spoilt.has(state.problem.code);
  const kept = sent !== undefined && (!settled || (!entered && !another && !unusable));
  return {
    paymentMethod: kept ? sent.paymentMethod : undefined,
    /** In place of the fields, or in fields that cannot be changed. */
    shown: kept && !entered,
    readOnly: kept,
    useAnother: settled ? () => setAnother(true) : undefined,
    markEntered: () => setEntered(true),
  };
}

/** The provider, or our own check, would not have this card. */
const spoilt = new Set(['provider_rejected', 'BAD_REQUEST']);
