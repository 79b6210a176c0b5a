import { type FinalResult, finalResultOf, type Intent, type ProviderResult } from '#payments/index.ts';
import { noWord, type Wait, wait } from '#reconciliation/investigate.ts';

/** What the provider was found to say about a payment's current generation. */
export type Evidence =
  | {
      readonly kind: 'intent';
      readonly intent: Intent;
      /** The shopper has had more time than any bank gives them to answer it. */
      readonly patienceOver?: boolean;
      /** A person gives leave to cancel it, whatever it waits for. */
      readonly withdraw?: boolean;
    }
  /** None was ever on record, and the provider refuses to make it: the create that was sent again is refused for what it asks. */
  | { readonly kind: 'unmade'; readonly code: string }
  /** We asked and got no definitive word: unreachable, ambiguous, or refused. */
  | { readonly kind: 'no_word'; readonly code: string };

export type Decision =
  | { readonly kind: 'settle'; readonly result: FinalResult; readonly intent: Intent }
  /** Never confirmed: make sure that it never can be, then ask again. */
  | { readonly kind: 'fence'; readonly intent: Intent }
  /** Provably unable to charge: the key may be used again, under a new generation. */
  | { readonly kind: 'release'; readonly intent: Intent }
  | { readonly kind: 'release_unmade'; readonly code: string }
  | Wait;

/**
 * | provider says               | decision                                          |
 * |-----------------------------|---------------------------------------------------|
 * | succeeded, declined         | settle                                            |
 * | created, never confirmed    | fence: cancel it, then decide on what comes back  |
 * | cancelled                   | release                                           |
 * | processing                  | wait                                              |
 * | requires action             | wait for the shopper; when no bank would any more: fence |
 * | any state that waits, and a person withdraws it | fence                         |
 * | it makes no such intent, and none was on record | release                       |
 * | no word, anything else      | wait: absence is never proof                      |
 */
export function decide(evidence: Evidence): Decision {
  if (evidence.kind === 'no_word') return noWord(evidence.code);
  if (evidence.kind === 'unmade') return { kind: 'release_unmade', code: evidence.code };
  const { intent } = evidence;
  const result = finalResultOf(intent);
  if (result) return { kind: 'settle', result, intent };
  if (intent.state === 'created') return { kind: 'fence', intent };
  if (intent.state === 'requires_action' && evidence.patienceOver) return { kind: 'fence', intent };
  if (withdrawable.has(intent.state) && evidence.withdraw) return { kind: 'fence', intent };
  if (intent.state === 'canceled') return { kind: 'release', intent };
  return wait(`provider_${intent.state}`);
}

/** What waits for somebody can be called off; what a bank is working on cannot. */
const withdrawable = new Set<Intent['state']>(['requires_action', 'other']);

export function evidenceOf(result: ProviderResult): Evidence {
  if (result.kind === 'answered') return { kind: 'intent', intent: result.intent };
  return { kind: 'no_word', code: result.code };
}

/**
 * The answer to a create that was sent again because no id is on record. A refusal of the command then means that there is
 * nothing to look for. While the provider remembers the key, it would have told what the first request made. After that
 * (a day) the first may have made an intent. But a confirm leaves only when the id is on record, by the attempt that recorded
 * it: that intent was never confirmed, has moved no money, and no attempt can confirm it any more. There is nothing to fence.
 */
export function evidenceOfCreate(result: ProviderResult): Evidence {
  return result.kind === 'rejected' && result.ofCommand
    ? { kind: 'unmade', code: result.code }
    : evidenceOf(result);
}
