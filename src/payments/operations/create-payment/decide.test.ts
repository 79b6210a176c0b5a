import { expect, test } from 'vitest';
import type { Intent } from '#payments/index.ts';
import { decide, evidenceOf } from './decide.ts';

function intent(state: Intent['state'], over: Partial<Intent> = {}): Intent {
  return {
    ...{ id: 'pi_1', state, chargeId: undefined, declineCode: undefined, actionUrl: undefined },
    ...{ amountMinor: 1200, currency: 'usd', reference: 'invoice-1', createdAt: undefined },
    ...{ operationId: undefined, generation: 1, paymentMethod: undefined },
    ...over,
  };
}

const paid = intent('succeeded', { chargeId: 'ch_1' });
const declined = intent('declined', { declineCode: 'expired_card' });
const closed = intent('canceled', { declineCode: 'expired_card' });

test.each([
  [
    paid,
    { kind: 'complete', result: { kind: 'succeeded', intentId: 'pi_1', chargeId: 'ch_1' }, intent: paid },
  ],
  [declined, { kind: 'cancel', intent: declined }],
  [
    closed,
    {
      kind: 'complete',
      result: { kind: 'declined', intentId: 'pi_1', declineCode: 'expired_card' },
      intent: closed,
    },
  ],
  [intent('created'), { kind: 'cancel', intent: intent('created') }],
  [intent('canceled'), { kind: 'release', intent: intent('canceled') }],
  [intent('processing'), { kind: 'wait', code: 'provider_processing' }],
  [intent('requires_action'), { kind: 'wait', code: 'provider_requires_action' }],
  [intent('other'), { kind: 'wait', code: 'provider_other' }],
])('an intent that is $state', (found, decision) => {
  expect(decide({ kind: 'intent', intent: found })).toEqual(decision);
});

test('an intent whose bank authentication timed out is cancelled, one that is processing is not', () => {
  const waiting = intent('requires_action');
  expect(decide({ kind: 'intent', intent: waiting, actionTimedOut: true })).toEqual({
    kind: 'cancel',
    intent: waiting,
  });
  expect(decide({ kind: 'intent', intent: intent('processing'), actionTimedOut: true })).toMatchObject({
    kind: 'wait',
  });
});

test.each([
  { kind: 'not_executed', code: 'provider_unreachable' },
  { kind: 'ambiguous', code: 'provider_timeout' },
  { kind: 'rejected', code: 'api_key_expired' },
] as const)('no definitive response ($kind) proves nothing: wait', (result) => {
  expect(decide(evidenceOf(result))).toEqual({ kind: 'wait', code: result.code, noEvidence: true });
});

test('a refusal of the command is no evidence about the intent', () => {
  const refusal = { kind: 'rejected', code: 'resource_missing' } as const;
  expect(decide(evidenceOf(refusal))).toEqual({ kind: 'wait', code: 'resource_missing', noEvidence: true });
});

test('where no intent was recorded nothing can have moved: release', () => {
  expect(decide({ kind: 'unrecorded' })).toEqual({ kind: 'release_unrecorded' });
});
