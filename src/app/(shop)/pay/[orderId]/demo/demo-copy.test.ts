import { describe, expect, test } from 'vitest';
import type { Fate, SentRequest } from './journal.ts';
import { fateWords, howMany, type Scene, sceneWords } from './scene-copy.ts';

const key = '7f3a91c2-8d3e-4c55-9d2a-6d5b3f0e1a11';
const answered = (more: Partial<Fate & { kind: 'answered' }> = {}): Fate => ({
  kind: 'answered',
  status: 200,
  ms: 31,
  replayed: false,
  said: 'succeeded',
  ...more,
});
const replay = answered({ replayed: true });
const turnedAway = answered({ status: 409, said: 'idempotency_key_in_progress' });

function scene(fates: readonly Fate[], more: Partial<Scene> & { twins?: readonly number[] } = {}): Scene {
  const { twins = [], ...rest } = more;
  const requests: SentRequest[] = fates.map((fate, index) => ({
    n: index + 1,
    key,
    twin: twins.includes(index + 1),
    fate,
  }));
  return {
    clicks: 1,
    requests,
    cut: false,
    silent: false,
    status: undefined,
    charges: 0,
    amount: '€14.50',
    ...rest,
  };
}

describe('while something is wrong, the most telling of it is said', () => {
  test('nothing got out', () => {
    const { title } = sceneWords(scene([{ kind: 'never_left' }], { cut: true }));
    expect(title).toBe('Nothing gets out.');
  });

  test('the answer was lost; that money moved is said only when the ledger shows it', () => {
    const lost = [{ kind: 'answer_lost' }] as const;
    expect(sceneWords(scene(lost, { cut: true })).body).not.toContain('€14.50');
    expect(sceneWords(scene(lost, { cut: true, charges: 1, status: 'completed' })).body).toContain(
      'The bank has taken €14.50, and this page cannot know.',
    );
  });

  test('a silent bank that took the money leaves the outcome unknown, never failed', () => {
    const waiting = [{ kind: 'waiting' }] as const;
    expect(sceneWords(scene(waiting, { silent: true })).title).toContain('does not answer');
    const unknown = sceneWords(scene(waiting, { silent: true, charges: 1, status: 'unknown' }));
    expect(unknown).toMatchObject({ tone: 'unknown', body: expect.stringContaining('unknown, not failed') });
  });

  test('more than one charge is never talked away', () => {
    expect(sceneWords(scene([replay], { charges: 2, status: 'completed' }))).toMatchObject({
      tone: 'danger',
      title: 'The bank charged 2 times.',
    });
  });
});

describe('at the end it says what this run has shown', () => {
  const ended = { status: 'completed', charges: 1 } as const;

  test('two clicks, one request', () => {
    const words = sceneWords(scene([answered()], { ...ended, clicks: 2 }));
    expect(words).toMatchObject({ tone: 'ok', title: 'One request sent, one charge.' });
    expect(words.body).toContain('Two clicks');
  });

  test('sent twice, and turned away while the first was at work', () => {
    const { title, body } = sceneWords(scene([answered(), turnedAway], { ...ended, twins: [2] }));
    expect(title).toBe('Two requests sent, one charge.');
    expect(body).toContain('Try 2 was told that the first is still at work.');
  });

  test('sent twice, and given the answer of the first', () => {
    const { body } = sceneWords(scene([answered(), replay], { ...ended, twins: [2] }));
    expect(body).toContain('Try 2 was given the answer of the first.');
  });

  test('an answer lost, and the repeat answered from the record', () => {
    const fates = [{ kind: 'answer_lost' }, { kind: 'never_left' }, replay] as const;
    const { title, body } = sceneWords(scene(fates, ended));
    expect(title).toBe('Two requests sent, one charge.');
    expect(body).toContain('Try 3 was answered from the record');
  });

  test('nothing left at first', () => {
    const { title, body } = sceneWords(scene([{ kind: 'never_left' }, answered()], ended));
    expect(title).toBe('One request sent, one charge.');
    expect(body).toContain('What never left could not charge');
  });

  test('the bank was silent', () => {
    expect(sceneWords(scene([answered({ said: 'pending' })], ended)).body).toContain('did not make one up');
  });

  test('declined', () => {
    const declined = sceneWords(scene([answered({ said: 'declined' })], { status: 'completed' }));
    expect(declined.title).toBe('Declined: nothing was charged.');
  });
});

test('before anything was sent it says so, and that a form which sent nothing wants something', () => {
  expect(sceneWords(scene([], { clicks: 0 })).title).toBe('Nothing has been sent yet.');
  expect(sceneWords(scene([], { clicks: 1 })).title).toBe('Nothing was sent.');
});

test.each([
  [{ kind: 'waiting' }, 'waiting for an answer'],
  [{ kind: 'never_left' }, 'never left this page'],
  [{ kind: 'answer_lost' }, 'arrived; its answer was lost'],
  [answered(), '200 in 31 ms: paid'],
  [replay, '200 in 31 ms: the stored answer'],
  [turnedAway, '409 in 31 ms: still at work'],
  [answered({ ms: 10_040, said: 'pending' }), '200 in 10.0 s: not known yet'],
  [answered({ status: 503, said: 'provider_unavailable' }), '503 in 31 ms: provider unavailable'],
] as const)('%o reads "%s"', (fate, words) => {
  expect(fateWords({ n: 1, key, twin: false, fate })).toBe(words);
});

test('counts are words while they are small', () => {
  expect([0, 1, 2, 12].map((count) => howMany(count, 'click'))).toEqual([
    'No clicks',
    'One click',
    'Two clicks',
    '12 clicks',
  ]);
});
