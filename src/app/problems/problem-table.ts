import { allProblems, type ProblemSpec } from '#server/http-api/problems.ts';

/** Every problem that the API can return, from the table that its responses are made from. */
export const problems: readonly ProblemSpec[] = Object.values(allProblems);

/** The code is in the address, and may be the name of something that every object has. */
export function findProblem(code: string): ProblemSpec | undefined {
  return Object.hasOwn(allProblems, code) ? allProblems[code] : undefined;
}
