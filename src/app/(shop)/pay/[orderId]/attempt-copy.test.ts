import { describe, expect, it } from 'vitest';
import type { AttemptState, BusyState, RefusalProblem } from '#idempotency/react.ts';
import type { PayAnswer } from '#app/trpc/pay.ts';
import { attemptWords, type Surroundings } from './attempt-copy.ts';

type State = AttemptState<PayAnswer>;

const around: Surroundings = {
  amount: '€14.50',
  orderNumber: 'ACME-2345ABCD',
  key: 'fedcba98-7654-4321-8000-000000000000',
  online: true,
  serverAway: false,
  pendingElsewhere: false,
};
const offline: Surroundings = { ...around, online: false };

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

const busy: BusyState[] = [
  { kind: 'restoring', tries: 1 },
  { kind: 'restoring', tries: 2, resumesAt: 0 },
  { kind: 'sending', tries: 1 },
  { kind: 'sending', tries: 3, after: 'no_answer' },
  { kind: 'waiting', tries: 1, why: 'no_answer', resumesAt: 0 },
  { kind: 'waiting', tries: 1, why: 'in_progress', resumesAt: 0 },
  { kind: 'checking', operationId: '0123456789abcdef' },
  { kind: 'checking', operationId: '0123456789abcdef', actionUrl: 'https://bank.example' },
];

const uncertain: State[] = [
  ...busy,
  { kind: 'following' },
  ...busy.map((there): State => ({ kind: 'following', there })),
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
  refused('too_many_attempts'),
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
    for (const at of [around, offline]) {
      expect(sentence(state, at)).not.toMatch(
        /please|try again|declined|not charged|nothing was charged|went wrong|failed to/i,
      );
    }
  });

  it.each([...uncertain, ...certain])('$kind has a title, a sentence and a button with a name', (state) => {
    const words = attemptWords(state, around);
    expect([words.title, words.body, words.button.label].every((text) => text.length > 3)).toBe(true);
    // A tap that changes nothing is allowed only while an answer is on its way, and then it shows.
    expect(words.button.tap === 'none').toBe(words.button.busy);
  });

  it('names the amount on the button until something is sent, also before the page knows anything', () => {
    for (const state of [{ kind: 'restoring', tries: 0 }, { kind: 'ready' }] as const) {
      const words = attemptWords(state, { ...around, key: undefined });
      expect(words.button).toEqual({ label: 'Pay €14.50', tap: 'pay', busy: false });
      expect(words.title).toBe('You will be charged once.');
    }
  });

  it('gives a reference that the shop can find while the outcome is unknown', () => {
    const checking = attemptWords({ kind: 'checking', operationId: '0123456789abcdef' }, around);
    expect(checking.reference).toBe('ACME-2345ABCD · fedcba98');
    expect(checking.body).toMatch(/do not pay again another way.*tapping is safe/i);
    const gaveUp = attemptWords({ kind: 'gave_up', tries: 8 }, around);
    expect(gaveUp.reference).toBe('ACME-2345ABCD · fedcba98');
    expect(gaveUp.body).toMatch(/nothing is known to have failed.*not be charged twice/i);
  });

  it('says the same from try to try, so that a screen reader hears it once; the numbers are apart', () => {
    const steps: State[] = [
      { kind: 'waiting', tries: 1, why: 'no_answer', resumesAt: 7 },
      { kind: 'sending', tries: 2, after: 'no_answer' },
      { kind: 'waiting', tries: 2, why: 'no_answer', resumesAt: 9 },
    ];
    expect(new Set(steps.map((state) => sentence(state))).size).toBe(1);
    expect(steps.map((state) => attemptWords(state, around).pace)).toEqual([
      { tries: 1, of: 8, resumesAt: 7 },
      { tries: 2, of: 8, resumesAt: undefined },
      { tries: 2, of: 8, resumesAt: 9 },
    ]);
  });

  it('offline: says so, says that it goes on by itself, and withholds no tap', () => {
    for (const state of [
      { kind: 'waiting', tries: 1, why: 'no_answer', resumesAt: 0 },
      { kind: 'restoring', tries: 1, resumesAt: 0 },
      { kind: 'checking', operationId: 'o' },
    ] as const) {
      expect(sentence(state, offline)).toMatch(/You are offline\..*goes on by itself/);
      expect(attemptWords(state, offline).button).toEqual(attemptWords(state, around).button);
    }
    const paid: State = { kind: 'done', answer: { ...answer, status: 'succeeded' } };
    expect(sentence(paid, offline)).toMatch(/charged once\. You are offline: your receipt opens/);
    expect(attemptWords({ kind: 'ready' }, offline)).toEqual(attemptWords({ kind: 'ready' }, around));
  });

  it('the server is away when it is paid: paid is said all the same, with a reference, and that the receipt opens by itself', () => {
    const paid: State = { kind: 'done', answer: { ...answer, status: 'succeeded' } };
    const words = attemptWords(paid, { ...around, serverAway: true });
    expect(words).toMatchObject({ tone: 'ok', title: 'Paid.', reference: 'ACME-2345ABCD · fedcba98' });
    expect(words.body).toMatch(/charged once\..*does not answer.*receipt opens by itself/);
    expect(words.button).toEqual(attemptWords(paid, around).button);
    expect(attemptWords(paid, around).reference).toBeUndefined();
  });

  it('a tap that leaves while the server is away is answered in words', () => {
    for (const state of certain) {
      const words = attemptWords(state, around);
      const away = attemptWords(state, { ...around, serverAway: true });
      if (words.button.tap === 'leave') expect(away.body).toMatch(/does not answer at this moment/);
      else expect(away).toEqual(words);
    }
  });

  it('tells that another tab is at work, and how far it is', () => {
    expect(sentence({ kind: 'following' })).toMatch(/being paid in another tab.*follows it/i);
    expect(sentence({ kind: 'following', there: { kind: 'sending', tries: 1 } })).toMatch(/another tab/);
    const waiting = { kind: 'waiting', tries: 2, why: 'no_answer', resumesAt: 5 } as const;
    expect(attemptWords({ kind: 'following', there: waiting }, around)).toMatchObject({
      title: 'In another tab: no answer yet. It is sent again by itself.',
      pace: { tries: 2, resumesAt: 5 },
      button: { tap: 'hurry' },
    });
    const checking = { kind: 'checking', operationId: '0123456789abcdef' } as const;
    expect(sentence({ kind: 'following', there: checking })).toMatch(
      /other tab is being checked with the bank/,
    );
  });

  it('sends the shopper to the bank that wants to see them', () => {
    const there = { kind: 'checking', operationId: 'o', actionUrl: 'https://bank.example' } as const;
    for (const state of [there, { kind: 'following', there }] as const) {
      const words = attemptWords(state, around);
      expect(words.title).toBe('Your bank wants to make sure it is you.');
      expect(words.button).toEqual({ label: 'Go to your bank', tap: 'bank', busy: false });
    }
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
