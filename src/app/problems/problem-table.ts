import { allProblems, type ProblemSpec } from '#server/http-api/problems.ts';

/** Every problem the API can return, from the tables that its responses are made of. */
export const problems: readonly ProblemSpec[] = Object.values(allProblems);

export function findProblem(code: string): ProblemSpec | undefined {
  return allProblems[code];
}
