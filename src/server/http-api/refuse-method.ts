import { problemResponse } from '#idempotency/adapters/fetch.ts';
import type { Services } from '../services.ts';
import { linksOf } from './handle.ts';
import { apiProblems } from './problems.ts';

/** The same for every caller, so no key is needed: the reference of the API names the methods too. */
export function refuseMethod(services: Services, ...allowed: readonly string[]): Response {
  const response = problemResponse({ spec: apiProblems.method_not_allowed }, linksOf(services));
  response.headers.set('Allow', [...allowed, 'OPTIONS'].join(', '));
  return response;
}

/** For addresses of the API that do not exist. */
export function notFound(services: Services): Response {
  return problemResponse({ spec: apiProblems.not_found }, linksOf(services));
}
