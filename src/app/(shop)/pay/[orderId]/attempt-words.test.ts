import { describe, expect, it } from 'vitest';
import type { AttemptState, RefusalProblem } from '#idempotency/react.ts';
import type { PayAnswer } from '../../../trpc/pay.ts';
import { attemptWords, type Surroundings } from './attempt-words.ts';

type State = AttemptState<PayAnswer>;

const around: Surroundings = { amount: '€14.50', alive: true, pendingElsewhere: false };

const answer = {
  paymentId: 'p',
  operationId: 'o',
  amountMinor: 1450,
  currency: 'eur',
  reference: 'ACME-1',
} as const;

function refused(code: string, extensions: RefusalProblem['extensions'] = {}): State {
  return { kind: 'refused', problem: { code, message: 'Because.', keyUsable: true, extensions } };
}

const uncertain: State[] = [
  { kind: 'restoring' },
  { kind: 'sending', tries: 1 },
  { kind: 'sending', tries: 3 },
  { kind: 'waiting', tries: 1, why: 'no_answer', resumesAt: 0 },
  { kind: 'waiting', tries: 1, why: 'in_progress', resumesAt: 0 },
  { kind: 'checking', operationId: '0123456789abcdef' },
  { kind: 'checking', operationId: '0123456789abcdef', actionUrl: 'https://bank.example' },
  { kind: 'gave_up', tries: 8 },
];

const certain: State[] = [
  { kind: 'ready' },
  { kind: 'waiting', tries: 1, why: 'unavailable', resumesAt: 0 },
  { kind: 'done', answer: { ...answer, status: 'succeeded' } },
  { kind: 'done', answer: { ...answer, status: 'declined', declineCode: 'insufficient_funds' } },
  { kind: 'done', answer: { ...answer, status: 'declined' } },
  refused('payment_exists_for_reference', { paymentStatus: 'pending' }),
  refused('payment_exists_for_reference', { paymentStatus: 'succeeded' }),
  { kind: 'done', answer: { ...answer, status: 'declined', declineCode: 'authentication_failed' } },
  refused('provider_rejected'),
  refused('order_cancelled'),
  refused('payment_fenced'),
  refused('idempotency_key_reused'),
  refused('idempotency_key_expired'),
  refused('BAD_REQUEST'),
  refused('NOT_FOUND'),
  refused('something_new'),
];

const sentence = (state: State, at: Surroundings = around) => {
  const words = attemptWords(state, at);
  return `${words.title} ${words.body}`;
};

describe('the words of the pay page', () => {
  it.each(uncertain)('$kind is never called a failure, nor "try again"', (state) => {
    expect(sentence(state)).not.toMatch(
      /please|try again|declined|not charged|nothing was charged|went wrong/i,
    );
  });

  it.each([...uncertain, ...certain])('$kind has a title, a sentence and a button with a name', (state) => {
    const words = attemptWords(state, around);
    expect([words.title, words.body, words.button.label].every((text) => text.length > 3)).toBe(true);
    // A tap that changes nothing is allowed only while an answer is on its way, and then it shows.
    expect(words.button.tap === 'none').toBe(words.button.busy);
  });

  it('names the amount on the button until something is sent, also before JavaScript runs', () => {
    for (const alive of [true, false]) {
      expect(attemptWords({ kind: 'restoring' }, { ...around, alive }).button.label).toBe('Pay €14.50');
      expect(attemptWords({ kind: 'ready' }, { ...around, alive }).button.label).toBe('Pay €14.50');
    }
  });

  it('gives a reference to quote while the bank is being asked', () => {
    const words = attemptWords({ kind: 'checking', operationId: '0123456789abcdef' }, around);
    expect(words.reference).toBe('01234567');
    expect(words.body).toMatch(/do not pay again another way/i);
  });

  it('sends the shopper to the bank that wants to see them', () => {
    const words = attemptWords(
      { kind: 'checking', operationId: 'o', actionUrl: 'https://bank.example' },
      around,
    );
    expect(words.title).toBe('Your bank wants to make sure it is you.');
    expect(words.button).toEqual({ label: 'Go to your bank', tap: 'bank', busy: false });
  });

  it.each(['authentication_required', 'authentication_failed', 'payment_intent_authentication_failure'])(
    'calls %s by what it is, and names the way on',
    (declineCode) => {
      expect(sentence({ kind: 'done', answer: { ...answer, status: 'declined', declineCode } })).toMatch(
        /could not confirm that it was you.*nothing was charged.*another card/i,
      );
    },
  );

  it('passes on what the server says to do about a problem it has no words for', () => {
    const state = refused('something_new');
    if (state.kind !== 'refused') throw new Error('It is refused.');
    const advised: State = { ...state, problem: { ...state.problem, action: 'Wait until Monday.' } };
    expect(sentence(advised)).toContain('Because. Wait until Monday.');
  });

  it('follows a payment under way elsewhere, and leaves for the receipt when it is paid', () => {
    const pending = refused('payment_exists_for_reference', { paymentStatus: 'pending' });
    expect(attemptWords(pending, { ...around, pendingElsewhere: true }).button.tap).toBe('look');
    expect(attemptWords(pending, around).button.tap).toBe('pay');
    const paid = refused('payment_exists_for_reference', { paymentStatus: 'succeeded' });
    expect(attemptWords(paid, around).button.tap).toBe('leave');
  });
});
