import { expect, test } from 'vitest';
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
