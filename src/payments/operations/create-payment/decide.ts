import { noEvidence, type Wait, wait } from '#payments/investigator.ts';
import type { FinalResult } from '#payments/payment.ts';
import type { Intent, ProviderResult } from '#payments/provider.ts';
import { finalResultOf } from './verdicts.ts';

/** What the provider says about a payment's current generation. */
export type Evidence =
  | {
      readonly kind: 'intent';
      readonly intent: Intent;
      /** The shopper has had more time than any bank gives for its authentication. */
      readonly actionTimedOut?: boolean;
      /** An operator allows it to be cancelled while it waits for the shopper. */
      readonly cancelWaiting?: boolean;
    }
  /** No intent was recorded. A confirm is sent only after it was, so nothing can have moved, and the provider is not asked. */
  | { readonly kind: 'unrecorded' }
  /** We asked and got no definitive response: unreachable, ambiguous, or refused. */
  | { readonly kind: 'no_evidence'; readonly code: string };

export type Decision =
  | { readonly kind: 'complete'; readonly result: FinalResult; readonly intent: Intent }
  /** It could still be confirmed: cancel it so that it never can be, and decide again on the response. */
  | { readonly kind: 'cancel'; readonly intent: Intent }
  /** Provably unable to charge: the key may be used again, under a new generation. */
  | { readonly kind: 'release'; readonly intent: Intent }
  | { readonly kind: 'release_unrecorded' }
  | Wait;

/**
 * | the provider's state        | decision                                          |
 * |-----------------------------|---------------------------------------------------|
 * | succeeded                   | complete                                          |
 * | cancelled after a decline   | complete, as declined                             |
 * | created, never confirmed    | cancel, then decide on the response               |
 * | declined, not cancelled yet | cancel, then decide on the response               |
 * | cancelled                   | release                                           |
 * | processing                  | wait                                              |
 * | requires action             | wait for the shopper; after an hour: cancel       |
 * | a state that waits, and an operator cancels it   | cancel                       |
 * | not asked: no intent was recorded                | release                      |
 * | no response, anything else  | wait: absence is never proof                      |
 */
export function decide(evidence: Evidence): Decision {
  if (evidence.kind === 'no_evidence') return noEvidence(evidence.code);
  if (evidence.kind === 'unrecorded') return { kind: 'release_unrecorded' };
  const { intent } = evidence;
  const result = finalResultOf(intent);
  if (result) return { kind: 'complete', result, intent };
  if (intent.state === 'created' || intent.state === 'declined') return { kind: 'cancel', intent };
  if (intent.state === 'requires_action' && evidence.actionTimedOut) return { kind: 'cancel', intent };
  if (cancellable.has(intent.state) && evidence.cancelWaiting) return { kind: 'cancel', intent };
  if (intent.state === 'canceled') return { kind: 'release', intent };
  return wait(`provider_${intent.state}`);
}

/** An intent that waits for the shopper can be cancelled; one that a bank is processing cannot. */
const cancellable = new Set<Intent['state']>(['requires_action', 'other']);

export function evidenceOf(result: ProviderResult): Evidence {
  if (result.kind === 'responded') return { kind: 'intent', intent: result.intent };
  return { kind: 'no_evidence', code: result.code };
}
