import { allProblems, type ProblemSpec } from '#server/http-api/problems.ts';

/** Every problem that the API can return, from the table that its responses are made from. */
export const problems: readonly ProblemSpec[] = Object.values(allProblems);

export function findProblem(code: string): ProblemSpec | undefined {
  return allProblems[code];
}
