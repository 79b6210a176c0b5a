import { expect, test } from 'vitest';
import { apiProblems } from '#server/http-api/problems.ts';
import { findProblem, problems } from './problem-table.ts';

test('a problem is found by its code', () => {
  for (const problem of problems) expect(findProblem(problem.code)).toBe(problem);
});

test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'nope', ''])(
  'what every object has is not a problem: %j is not found',
  (code) => {
    expect(findProblem(code)).toBeUndefined();
  },
);

const unread = [
  'idempotency_call_batched',
  'idempotency_key_missing',
  'idempotency_key_invalid',
  'command_not_canonical',
];
test.each([...Object.keys(apiProblems), ...unread])(
  'a refusal before the record was read does not say that a new key is safe: %s',
  (code) => {
    expect(findProblem(code)?.newKey).toBe('unsafe');
  },
);

// Under the same key another command is misuse.
test.each([
  'payment_method_unknown',
  'amount_not_chargeable',
  'refund_amount_not_allowed',
  'refund_exceeds_payment',
])('a refusal that takes another command says that it takes a new key: %s', (code) => {
  expect(findProblem(code)).toMatchObject({ newKey: 'safe', action: expect.stringContaining('new key') });
});

test('an unavailable provider is not said never to have got the request: it may have made an intent', () => {
  const { explanation } = findProblem('provider_unavailable') ?? {};
  expect(explanation).not.toContain('never reached');
  expect(explanation).toContain('Nothing was charged or paid back now.');
});
