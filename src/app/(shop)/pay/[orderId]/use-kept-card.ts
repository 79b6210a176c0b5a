import { useState } from 'react';
import type { PayCommand, PayResult } from '#app/trpc/pay.ts';
import type { SubmissionState } from '#idempotency/react.ts';

/**
 * A reload empties Stripe's fields, but the payment method's id was stored with the command before that was sent. Until
 * the command has ended, it is retried with this payment method; only then another card can be entered.
 */
export function useKeptCard(state: SubmissionState<PayResult>, sent: PayCommand | undefined) {
  /** The card was entered after the page was loaded, so Stripe's fields still have it. */
  const [entered, setEntered] = useState(false);
  const [another, setAnother] = useState(false);
  const ended = state.kind === 'ready' || state.kind === 'refused';
  const unusable = state.kind === 'refused' && cardRefused.has(state.problem.code);
  const kept = sent !== undefined && (!ended || (!entered && !another && !unusable));
  return {
    paymentMethod: kept ? sent.paymentMethod : undefined,
    /** In place of Stripe's fields. */
    shown: kept && !entered,
    readOnly: kept,
    chooseAnother: ended ? () => setAnother(true) : undefined,
    markEntered: () => setEntered(true),
  };
}

/** Problems that mean that the provider, or our own validation, has refused the card. */
const cardRefused = new Set(['provider_rejected', 'payment_method_unknown', 'BAD_REQUEST']);
