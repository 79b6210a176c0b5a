import { defineProblems, idempotencyProblems, type ProblemSpec } from '#idempotency/index.ts';
import { operationKinds, paymentProblems } from '#payments/index.ts';

export type { ProblemSpec };

/**
 * Problems of the HTTP API that occur before the engine is called. None of these creates a record, and none has read one: the
 * request may be the retry of one that took effect, with an API key that was rotated or by a program that was changed since. So
 * none says that another idempotency key is safe.
 */
export const apiProblems = defineProblems({
  unauthorized: {
    http: 401,
    trpc: 'UNAUTHORIZED',
    title: 'The API key is missing or not valid',
    explanation: 'Requests need an API key as bearer token; this one had none that is in use.',
    action: 'Send "Authorization: Bearer po_…" with a key from the console.',
    newKey: 'unsafe',
  },
  scope_missing: {
    http: 403,
    trpc: 'FORBIDDEN',
    title: 'The API key is not for this',
    explanation:
      'Each API key is for reading, paying, refunding, or several of these; this one is not for what was asked.',
    action:
      'Use a key whose scopes include it; an owner creates one in the console. The same idempotency key may be used.',
    newKey: 'unsafe',
  },
  invalid_request: {
    http: 400,
    trpc: 'BAD_REQUEST',
    title: 'The request is not valid',
    explanation: 'The body or a parameter is not what this operation takes. Nothing was executed or stored.',
    action: 'Correct what the errors name and send it again; the same key may be used.',
    newKey: 'unsafe',
  },
  body_too_large: {
    http: 413,
    trpc: 'PAYLOAD_TOO_LARGE',
    title: 'The body is too large',
    explanation: 'A body may have 16 KiB. Nothing was executed or stored, and the connection is closed.',
    action: 'Send a smaller body; the same key may be used.',
    newKey: 'unsafe',
  },
  unsupported_media_type: {
    http: 415,
    trpc: 'UNSUPPORTED_MEDIA_TYPE',
    title: 'The body is not JSON',
    explanation:
      'The Content-Type of the request is not application/json, or its body is compressed. Nothing was executed or stored.',
    action:
      'Send "Content-Type: application/json" and a body without Content-Encoding; the same key may be used.',
    newKey: 'unsafe',
  },
  method_not_allowed: {
    http: 405,
    trpc: 'METHOD_NOT_SUPPORTED',
    title: 'This address does not take this method',
    explanation: 'The address exists, but not for the method of the request. Nothing was executed or stored.',
    action: 'Use one of the methods that the Allow header names.',
    newKey: 'unsafe',
  },
  internal_error: {
    http: 500,
    trpc: 'INTERNAL_SERVER_ERROR',
    title: 'The service failed',
    explanation:
      'Something unexpected went wrong, and the operator has been alerted. What was executed is not known.',
    action: 'Send the same request with the same key again: it is executed at most once.',
    newKey: 'unsafe',
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
    newKey: 'unsafe',
  },
});

/** Every problem there is. Each has a page in the app, and each `type` points to its page. */
export const allProblems: Readonly<Record<string, ProblemSpec>> = {
  ...idempotencyProblems,
  ...paymentProblems,
  ...Object.assign({}, ...operationKinds.map(({ problems }) => problems)),
  ...apiProblems,
};
