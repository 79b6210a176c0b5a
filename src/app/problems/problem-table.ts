import { idempotencyProblems, type ProblemSpec } from '#idempotency/problems.ts';
import { paymentProblems } from '#payments/problems.ts';

/** Everything a caller can be told, from the tables the answers themselves are made of. */
export const problems: readonly ProblemSpec[] = [
  ...Object.values(idempotencyProblems),
  ...Object.values(paymentProblems),
];

export function findProblem(code: string): ProblemSpec | undefined {
  return problems.find((problem) => problem.code === code);
}
