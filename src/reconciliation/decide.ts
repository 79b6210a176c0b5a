import { type FinalResult, finalResultOf, type Intent, type ProviderResult } from '#payments/index.ts';

/** What the provider was found to say about an operation's current generation. */
export type Evidence =
  | { readonly kind: 'intent'; readonly intent: Intent }
  /** We asked and got no definitive word: unreachable, ambiguous, or refused. */
  | { readonly kind: 'no_word'; readonly code: string };

export type ReconcileVerdict =
  | { readonly kind: 'settle'; readonly result: FinalResult }
  /** Never confirmed: make sure that it never can be, then ask again. */
  | { readonly kind: 'fence'; readonly intentId: string }
  /** Provably unable to charge: the key may be used again, under a new generation. */
  | { readonly kind: 'release' }
  | { readonly kind: 'wait'; readonly code: string };

/**
 * | provider says               | verdict                                           |
 * |-----------------------------|---------------------------------------------------|
 * | succeeded, declined         | settle                                            |
 * | created, never confirmed    | fence: cancel it, then decide on what comes back  |
 * | cancelled                   | release                                           |
 * | processing, requires action | wait                                              |
 * | no word, anything else      | wait: absence is never proof                      |
 */
export function decide(evidence: Evidence): ReconcileVerdict {
  if (evidence.kind === 'no_word') return { kind: 'wait', code: evidence.code };
  const { intent } = evidence;
  switch (intent.state) {
    case 'succeeded':
    case 'declined': {
      const result = finalResultOf(intent);
      return result ? { kind: 'settle', result } : { kind: 'wait', code: 'contradictory' };
    }
    case 'created':
      return { kind: 'fence', intentId: intent.id };
    case 'canceled':
      return { kind: 'release' };
    case 'processing':
    case 'requires_action':
    case 'other':
      return { kind: 'wait', code: `provider_${intent.state}` };
  }
}

export function evidenceOf(result: ProviderResult): Evidence {
  if (result.kind === 'answered') return { kind: 'intent', intent: result.intent };
  return { kind: 'no_word', code: result.code };
}
