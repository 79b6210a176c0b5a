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
      readonly actionExpired?: boolean;
      /** An operator allows it to be cancelled, whatever it waits for. */
      readonly withdraw?: boolean;
    }
  /** No intent was recorded, and the provider refuses to create it: the create that was sent again is refused as a command. */
  | { readonly kind: 'uncreated'; readonly code: string }
  /** We asked and got no definitive response: unreachable, ambiguous, or refused. */
  | { readonly kind: 'no_evidence'; readonly code: string };

export type Decision =
  | { readonly kind: 'complete'; readonly result: FinalResult; readonly intent: Intent }
  /** Never confirmed: cancel it so that it never can be, and decide again on the response. */
  | { readonly kind: 'cancel'; readonly intent: Intent }
  /** Provably unable to charge: the key may be used again, under a new generation. */
  | { readonly kind: 'release'; readonly intent: Intent }
  | { readonly kind: 'release_uncreated'; readonly code: string }
  | Wait;

/**
 * | provider says               | decision                                          |
 * |-----------------------------|---------------------------------------------------|
 * | succeeded, declined         | complete                                          |
 * | created, never confirmed    | cancel, then decide on the response               |
 * | cancelled                   | release                                           |
 * | processing                  | wait                                              |
 * | requires action             | wait for the shopper; after an hour: cancel       |
 * | a state that waits, and an operator withdraws it | cancel                       |
 * | refuses to create it, and none was recorded      | release                      |
 * | no response, anything else  | wait: absence is never proof                      |
 */
export function decide(evidence: Evidence): Decision {
  if (evidence.kind === 'no_evidence') return noEvidence(evidence.code);
  if (evidence.kind === 'uncreated') return { kind: 'release_uncreated', code: evidence.code };
  const { intent } = evidence;
  const result = finalResultOf(intent);
  if (result) return { kind: 'complete', result, intent };
  if (intent.state === 'created') return { kind: 'cancel', intent };
  if (intent.state === 'requires_action' && evidence.actionExpired) return { kind: 'cancel', intent };
  if (withdrawable.has(intent.state) && evidence.withdraw) return { kind: 'cancel', intent };
  if (intent.state === 'canceled') return { kind: 'release', intent };
  return wait(`provider_${intent.state}`);
}

/** An intent that waits for the shopper can be cancelled; one that a bank is processing cannot. */
const withdrawable = new Set<Intent['state']>(['requires_action', 'other']);

export function evidenceOf(result: ProviderResult): Evidence {
  if (result.kind === 'responded') return { kind: 'intent', intent: result.intent };
  return { kind: 'no_evidence', code: result.code };
}

/**
 * The response to a create that was sent again because no id was recorded. While the provider remembers the key, it returns
 * what the first request created. After that (a day) the first request may have created an intent although the second is
 * refused. But a confirm is sent only by the attempt that recorded the id: that intent was never confirmed, has moved no
 * money, and no attempt can confirm it any more. There is nothing to cancel.
 */
export function evidenceOfCreate(result: ProviderResult): Evidence {
  return result.kind === 'rejected' && result.ofCommand
    ? { kind: 'uncreated', code: result.code }
    : evidenceOf(result);
}
