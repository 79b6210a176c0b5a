import { allProblems, type ProblemSpec } from '#server/http-api/problems.ts';

/** Everything a caller can be told, from the tables the answers themselves are made of. */
export const problems: readonly ProblemSpec[] = Object.values(allProblems);

export function findProblem(code: string): ProblemSpec | undefined {
  return allProblems[code];
}
