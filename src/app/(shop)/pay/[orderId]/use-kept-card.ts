import { useState } from 'react';
import type { PayCommand, PayResult } from '#app/trpc/pay.ts';
import type { SubmissionState } from '#idempotency/react.ts';

/**
 * A reload empties Stripe's fields, but the payment method's id was stored before it was sent. While that attempt has not
 * ended, it continues with its payment method; only after its end a card is entered again.
 */
export function useKeptCard(state: SubmissionState<PayResult>, sent: PayCommand | undefined) {
  /** Entered since the page was loaded: the fields still have it, and may be changed once nothing is under way. */
  const [entered, setEntered] = useState(false);
  const [another, setAnother] = useState(false);
  const ended = state.kind === 'ready' || state.kind === 'refused';
  const unusable = state.kind === 'refused' && cardRefused.has(state.problem.code);
  const kept = sent !== undefined && (!ended || (!entered && !another && !unusable));
  return {
    paymentMethod: kept ? sent.paymentMethod : undefined,
    /** In place of the fields, or in fields that cannot be changed. */
    shown: kept && !entered,
    readOnly: kept,
    useAnother: ended ? () => setAnother(true) : undefined,
    markEntered: () => setEntered(true),
  };
}

/** The provider, or our own validation, has refused this card. */
const cardRefused = new Set(['provider_rejected', 'BAD_REQUEST']);
