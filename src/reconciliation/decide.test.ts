import { expect, test } from 'vitest';
import type { Intent } from '#payments/index.ts';
import { decide, evidenceOf } from './decide.ts';

function intent(state: Intent['state'], over: Partial<Intent> = {}): Intent {
  return { id: 'pi_1', state, chargeId: undefined, declineCode: undefined, ...over };
}

test.each([
  [
    intent('succeeded', { chargeId: 'ch_1' }),
    { kind: 'settle', result: { kind: 'succeeded', intentId: 'pi_1', chargeId: 'ch_1' } },
  ],
  [
    intent('declined', { declineCode: 'expired_card' }),
    { kind: 'settle', result: { kind: 'declined', intentId: 'pi_1', declineCode: 'expired_card' } },
  ],
  [intent('created'), { kind: 'fence', intentId: 'pi_1' }],
  [intent('canceled'), { kind: 'release' }],
  [intent('processing'), { kind: 'wait', code: 'provider_processing' }],
  [intent('requires_action'), { kind: 'wait', code: 'provider_requires_action' }],
  [intent('other'), { kind: 'wait', code: 'provider_other' }],
])('an intent that is $state', (found, verdict) => {
  expect(decide({ kind: 'intent', intent: found })).toEqual(verdict);
});

test.each([
  { kind: 'not_executed', code: 'provider_unreachable' },
  { kind: 'ambiguous', code: 'provider_timeout' },
  { kind: 'rejected', code: 'resource_missing', message: 'No such payment_intent' },
] as const)('no definitive word ($kind) proves nothing: wait', (result) => {
  expect(decide(evidenceOf(result))).toEqual({ kind: 'wait', code: result.code });
});
