import { type FinalResult, finalResultOf, type Intent, type ProviderResult } from '#payments/index.ts';

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
  /** We asked and got no definitive word: unreachable, ambiguous, or refused. */
  | { readonly kind: 'no_word'; readonly code: string };

export type Decision =
  | { readonly kind: 'settle'; readonly result: FinalResult; readonly intent: Intent }
  /** Never confirmed: make sure that it never can be, then ask again. */
  | { readonly kind: 'fence'; readonly intent: Intent }
  /** Provably unable to charge: the key may be used again, under a new generation. */
  | { readonly kind: 'release'; readonly intent: Intent }
  | { readonly kind: 'wait'; readonly code: string };

/**
 * | provider says               | decision                                          |
 * |-----------------------------|---------------------------------------------------|
 * | succeeded, declined         | settle                                            |
 * | created, never confirmed    | fence: cancel it, then decide on what comes back  |
 * | cancelled                   | release                                           |
 * | processing                  | wait                                              |
 * | requires action             | wait for the shopper; when no bank would any more: fence |
 * | any state that waits, and a person withdraws it | fence                         |
 * | no word, anything else      | wait: absence is never proof                      |
 */
export function decide(evidence: Evidence): Decision {
  if (evidence.kind === 'no_word') return { kind: 'wait', code: evidence.code };
  const { intent } = evidence;
  const result = finalResultOf(intent);
  if (result) return { kind: 'settle', result, intent };
  if (intent.state === 'created') return { kind: 'fence', intent };
  if (intent.state === 'requires_action' && evidence.patienceOver) return { kind: 'fence', intent };
  if (withdrawable.has(intent.state) && evidence.withdraw) return { kind: 'fence', intent };
  if (intent.state === 'canceled') return { kind: 'release', intent };
  return { kind: 'wait', code: `provider_${intent.state}` };
}

/** What waits for somebody can be called off; what a bank is working on cannot. */
const withdrawable = new Set<Intent['state']>(['requires_action', 'other']);

export function evidenceOf(result: ProviderResult): Evidence {
  if (result.kind === 'answered') return { kind: 'intent', intent: result.intent };
  return { kind: 'no_word', code: result.code };
}
