import type { TRPC_ERROR_CODE_KEY } from '@trpc/server';

/**
 * Every problem that a caller can get instead of a response, in one table. The HTTP status, the tRPC code and the page that
 * explains the problem are derived from it; there is no second mapping.
 */
export interface ProblemSpec {
  readonly code: string;
  readonly http: number;
  readonly trpc: TRPC_ERROR_CODE_KEY;
  readonly title: string;
  /** What happened, for the person who reads the page or the error. */
  readonly explanation: string;
  /** What the client should do now. */
  readonly action: string;
  /** Whether the client can send the same command under a new key without risking a second effect. */
  readonly newKey: 'safe' | 'unsafe';
}

export interface Problem {
  readonly spec: ProblemSpec;
  /** What happened in this occurrence. Default: the explanation. */
  readonly detail?: string;
  readonly retryAfterSeconds?: number;
  /** What the client should do in this occurrence. Default: what the table says. */
  readonly advice?: Pick<ProblemSpec, 'action' | 'newKey'>;
  /** Values that a program can act on. They must not reveal a record that belongs to another caller. */
  readonly extensions?: Readonly<Record<string, string | number | boolean>>;
}

export function defineProblems<const T extends Record<string, Omit<ProblemSpec, 'code'>>>(
  table: T,
): { readonly [Code in keyof T]: ProblemSpec } {
  const entries = Object.entries(table).map(([code, spec]) => [code, { code, ...spec }]);
  return Object.fromEntries(entries);
}

export const idempotencyProblems = defineProblems({
  idempotency_key_missing: {
    http: 400,
    trpc: 'BAD_REQUEST',
    title: 'The Idempotency-Key header is missing',
    explanation:
      'This operation has effects that must not happen twice, so it needs a key that names the attempt.',
    action: 'Make one random key (a UUID) per thing you want done, keep it, and send it with every retry.',
    newKey: 'unsafe',
  },
  idempotency_key_invalid: {
    http: 400,
    trpc: 'BAD_REQUEST',
    title: 'The Idempotency-Key header is not usable',
    explanation:
      'The key breaks one of the rules for keys; the detail says which. Nothing was executed or stored.',
    action:
      'If this is a retry, send the key of the first request, once and as it was. Otherwise send one random key of 16 to 255 characters, such as a UUID.',
    newKey: 'unsafe',
  },
  idempotency_call_batched: {
    http: 400,
    trpc: 'BAD_REQUEST',
    title: 'An idempotent call must travel alone',
    explanation:
      'One Idempotency-Key header cannot stand for several calls of a batch. Nothing was executed.',
    action: 'Send the call in a request of its own, with its own key.',
    newKey: 'unsafe',
  },
  idempotency_key_reused: {
    http: 422,
    trpc: 'UNPROCESSABLE_CONTENT',
    title: 'The key belongs to another request',
    explanation:
      'The key was used before for something else. Nothing was executed, and nothing is revealed of the other.',
    action:
      'If this is a retry, send exactly what was sent before. Make a key for each thing you want done, not for each cart, screen or session.',
    newKey: 'unsafe',
  },
  idempotency_key_in_progress: {
    http: 409,
    trpc: 'CONFLICT',
    title: 'The same request is being executed right now',
    explanation: 'A request with this key is still running. This is not a failure: its answer will be yours.',
    action: 'Wait as long as Retry-After says and send the same request with the same key again.',
    newKey: 'unsafe',
  },
  operation_unknown: {
    http: 202,
    trpc: 'CONFLICT',
    title: 'The outcome is being checked',
    explanation:
      'The operation may or may not have taken effect; that is being found out. It is not a failure.',
    action: 'Ask again with the same key, or read the status URL. Do not start over with another key.',
    newKey: 'unsafe',
  },
  idempotency_key_expired: {
    http: 410,
    trpc: 'PRECONDITION_FAILED',
    title: 'The answer is no longer kept',
    explanation:
      'The operation ended long ago and its stored answer has been removed; it will not be executed again.',
    action: 'Look the resource up by its id to learn what became of it.',
    newKey: 'unsafe',
  },
  idempotency_store_unavailable: {
    http: 503,
    trpc: 'SERVICE_UNAVAILABLE',
    title: 'Requests cannot be accepted safely at the moment',
    explanation: 'The memory that prevents double execution cannot be reached, so nothing was executed.',
    action: 'Send the same request with the same key again in a few seconds.',
    newKey: 'unsafe',
  },
  response_unreadable: {
    http: 503,
    trpc: 'SERVICE_UNAVAILABLE',
    title: 'The stored answer cannot be read at the moment',
    explanation:
      'The operation was executed and its answer is stored. The server that was asked does not have the key to read it.',
    action: 'Send the same request with the same key again in a few seconds; it is not executed again.',
    newKey: 'unsafe',
  },
  response_not_storable: {
    http: 500,
    trpc: 'INTERNAL_SERVER_ERROR',
    title: 'It was done, but its result could not be stored',
    explanation:
      'The operation was executed and will not be executed again. Its result cannot be written as JSON, which is a bug of ours.',
    action: 'Read what the operation was to change. Do not start over with another key.',
    newKey: 'unsafe',
  },
  command_not_canonical: {
    http: 400,
    trpc: 'BAD_REQUEST',
    title: 'The input cannot be compared with that of a retry',
    explanation:
      'The input has a value that cannot be written as canonical JSON; the detail says which. Nothing was executed or stored.',
    action: 'Send plain values: texts, finite numbers, booleans, lists and objects.',
    newKey: 'unsafe',
  },
  operation_failed: {
    http: 500,
    trpc: 'INTERNAL_SERVER_ERROR',
    title: 'The operation failed before it had any effect',
    explanation: 'Something went wrong on our side; it is certain that nothing happened outside.',
    action: 'Send the same request with the same key again.',
    newKey: 'safe',
  },
});
