import { defineProblems, idempotencyProblems, type ProblemSpec } from '#idempotency/index.ts';
import { operationKinds, paymentProblems } from '#payments/index.ts';

export type { ProblemSpec };

/** What the plain HTTP door can say before the engine is asked. None of these creates a record. */
export const apiProblems = defineProblems({
  unauthorized: {
    http: 401,
    trpc: 'UNAUTHORIZED',
    title: 'The API key is missing or not valid',
    explanation: 'Requests need an API key as bearer token; this one had none that is in use.',
    action: 'Send "Authorization: Bearer po_…" with a key from the console.',
    newKey: 'safe',
  },
  invalid_request: {
    http: 400,
    trpc: 'BAD_REQUEST',
    title: 'The request is not valid',
    explanation: 'The body or a parameter is not what this operation takes. Nothing was executed or stored.',
    action: 'Correct what the errors name and send it again; the same key may be used.',
    newKey: 'safe',
  },
  service_unavailable: {
    http: 503,
    trpc: 'SERVICE_UNAVAILABLE',
    title: 'The service cannot answer at the moment',
    explanation: 'Something this service depends on does not answer. Nothing was executed.',
    action: 'Send the same request with the same key again in a few seconds.',
    newKey: 'unsafe',
  },
  not_found: {
    http: 404,
    trpc: 'NOT_FOUND',
    title: 'There is no such thing',
    explanation: 'Nothing of yours has this id or key.',
    action: 'Check the id or the key.',
    newKey: 'safe',
  },
});

/** Every problem there is. Each has a page in the app, and each `type` points to its page. */
export const allProblems: Readonly<Record<string, ProblemSpec>> = {
  ...idempotencyProblems,
  ...paymentProblems,
  ...Object.assign({}, ...operationKinds.map(({ problems }) => problems)),
  ...apiProblems,
};
