import { describe, expect, test } from 'vitest';
import { type DemoState, demoCopy, howMany, outcomeCopy } from './demo-copy.ts';
import type { RequestOutcome, SentRequest } from './journal.ts';

const key = '7f3a91c2-8d3e-4c55-9d2a-6d5b3f0e1a11';
const responded = (more: Partial<RequestOutcome & { kind: 'responded' }> = {}): RequestOutcome => ({
  kind: 'responded',
  status: 200,
  ms: 31,
  replayed: false,
  code: 'succeeded',
  ...more,
});
const replay = responded({ replayed: true });
const inProgress = responded({ status: 409, code: 'idempotency_key_in_progress' });

function state(
  outcomes: readonly RequestOutcome[],
  more: Partial<DemoState> & { twins?: readonly number[] } = {},
): DemoState {
  const { twins = [], ...rest } = more;
  const requests: SentRequest[] = outcomes.map((outcome, index) => ({
    n: index + 1,
    key,
    twin: twins.includes(index + 1),
    outcome,
  }));
  return {
    clicks: 1,
    requests,
    cut: false,
    silent: false,
    awaitsShopper: false,
    status: undefined,
    charges: 0,
    refunded: 0,
    amount: '€14.50',
    ...rest,
  };
}

describe('during a fault the most important fact is shown', () => {
  test('no request has left', () => {
    const { title } = demoCopy(state([{ kind: 'never_left' }], { cut: true }));
    expect(title).toBe('Nothing gets out.');
  });

  test('the response was lost; a charge is mentioned only when the ledger has it', () => {
    const lost = [{ kind: 'response_lost' }] as const;
    expect(demoCopy(state(lost, { cut: true })).body).not.toContain('€14.50');
    expect(demoCopy(state(lost, { cut: true, charges: 1, status: 'completed' })).body).toContain(
      'The bank has taken €14.50, and this page cannot know.',
    );
  });

  test('the outcome is unknown, never failed, when the bank charged and did not respond', () => {
    const waiting = [{ kind: 'waiting' }] as const;
    expect(demoCopy(state(waiting, { silent: true })).title).toContain('does not answer');
    const unknown = demoCopy(state(waiting, { silent: true, charges: 1, status: 'unknown' }));
    expect(unknown).toMatchObject({ tone: 'unknown', body: expect.stringContaining('unknown, not failed') });
  });

  test('a second charge is shown in every state', () => {
    expect(demoCopy(state([replay], { charges: 2, status: 'completed' }))).toMatchObject({
      tone: 'danger',
      title: 'The bank charged 2 times.',
    });
  });
});

describe('at the end the text explains what this run has shown', () => {
  const ended = { status: 'completed', charges: 1 } as const;

  test('two clicks sent one request', () => {
    const copy = demoCopy(state([responded()], { ...ended, clicks: 2 }));
    expect(copy).toMatchObject({ tone: 'ok', title: 'One request sent, one charge.' });
    expect(copy.body).toContain('Two clicks');
  });

  test('the twin was refused while the first was in progress', () => {
    const { title, body } = demoCopy(state([responded(), inProgress], { ...ended, twins: [2] }));
    expect(title).toBe('Two requests sent, one charge.');
    expect(body).toContain('Try 2 got “already in progress”.');
  });

  test('the twin got the response of the first', () => {
    const { body } = demoCopy(state([responded(), replay], { ...ended, twins: [2] }));
    expect(body).toContain('Try 2 got the stored answer of the first.');
  });

  test('after a lost response the retry got the stored one', () => {
    const outcomes = [{ kind: 'response_lost' }, { kind: 'never_left' }, replay] as const;
    const { title, body } = demoCopy(state(outcomes, ended));
    expect(title).toBe('Two requests sent, one charge.');
    expect(body).toContain('Try 3 was answered from the record');
  });

  test('the first request never left', () => {
    const { title, body } = demoCopy(state([{ kind: 'never_left' }, responded()], ended));
    expect(title).toBe('One request sent, one charge.');
    expect(body).toContain('What never left could not charge');
  });

  test('the network lost a try', () => {
    const { title, body } = demoCopy(state([{ kind: 'failed' }, responded()], ended));
    expect(title).toBe('Two requests sent, one charge.');
    expect(body).toContain('The network lost a try');
  });

  test('the bank did not respond', () => {
    expect(demoCopy(state([responded({ code: 'pending' })], ended)).body).toContain('did not make one up');
  });

  test('declined', () => {
    const declined = demoCopy(state([responded({ code: 'declined' })], { status: 'completed' }));
    expect(declined.title).toBe('Declined: nothing was charged.');
  });
});

test('before a request was sent the text says so, also after a click on a form with errors', () => {
  expect(demoCopy(state([], { clicks: 0 })).title).toBe('Nothing has been sent yet.');
  expect(demoCopy(state([], { clicks: 1 })).title).toBe('Nothing was sent.');
});

test.each([
  [{ kind: 'waiting' }, 'waiting for an answer'],
  [{ kind: 'never_left' }, 'never left this page'],
  [{ kind: 'response_lost' }, 'arrived; its answer was lost'],
  [responded(), '200 in 31 ms: paid'],
  [replay, '200 in 31 ms: the stored answer'],
  [inProgress, '409 in 31 ms: already in progress'],
  [responded({ ms: 10_040, code: 'pending' }), '200 in 10.0 s: not known yet'],
  [responded({ status: 503, code: 'provider_unavailable' }), '503 in 31 ms: provider unavailable'],
] as const)('%o reads "%s"', (outcome, text) => {
  expect(outcomeCopy({ n: 1, key, twin: false, outcome })).toBe(text);
});

test('small counts are spelled out', () => {
  expect([0, 1, 2, 12].map((count) => howMany(count, 'click'))).toEqual([
    'No clicks',
    'One click',
    'Two clicks',
    '12 clicks',
  ]);
});

describe('the end says what happened', () => {
  const ended = (more: Partial<DemoState>, outcome = responded()) =>
    demoCopy(state([outcome], { status: 'completed', charges: 1, ...more }));

  test('a refund is not called a decline', () => {
    expect(ended({ refunded: 1 }).title).toBe('Charged once, and €14.50 was refunded.');
  });

  test('a bank that was silent for a while is not called the plain case', () => {
    expect(ended({}).body).toContain('The plain case');
    expect(ended({}, responded({ ms: 6_400 })).body).toContain('took 6 s to say so');
  });
});
