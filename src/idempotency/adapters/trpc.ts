import { TRPCError, type TRPCMiddlewareFunction } from '@trpc/server';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import type { Engine } from '../engine.ts';
import {
  type Execution,
  type OperationDefinition,
  type OperationRequest,
  RefusedByApplication,
  type Verdict,
} from '../operation.ts';
import type { Outcome } from '../outcome.ts';
import { idempotencyProblems, type Problem } from '../problems.ts';
import { readBody } from '../response-body.ts';

/** What `idempotent` needs in the context. `createContext` and the middlewares before it provide it. */
export interface IdempotencyContext<Tx> {
  readonly idempotency: {
    readonly engine: Engine<Tx>;
    /** The Idempotency-Key header as it arrived. */
    readonly key: string | null;
    /** How many calls are batched in this request. One header cannot name several, so an idempotent call is sent alone. */
    readonly callCount: number;
    /** Those of the response, if they can still be set; in a streamed response they have left before the result. */
    readonly responseHeaders: Pick<Headers, 'set'>;
    /** Domain rows that are inserted in the statement of the claim. */
    readonly atClaim?: OperationRequest['atClaim'];
  };
  /** Comes from the authentication, never from the input. */
  readonly caller: { readonly tenantId: string; readonly principal: string };
}

/** The result of a call whose outcome is not known yet. It is not an error, and must not be displayed as one. */
export interface Pending {
  readonly status: 'pending';
  readonly code: 'operation_unknown' | 'operation_in_progress';
  readonly operationId: string;
}

/** A problem as a tRPC error. The application's error formatter sends its code to the client. */
export class ProblemError extends TRPCError {
  readonly problem: Problem;
  readonly operationId: string | undefined;

  constructor(problem: Problem, operationId?: string) {
    super({ code: problem.spec.trpc, message: problem.detail ?? problem.spec.explanation });
    this.problem = problem;
    this.operationId = operationId;
  }
}

/** What the client gets of a handler's result. */
type BodyOf<Result> = Result extends FromVerdict<infer Body, never> ? Body : Result;

/** Executes the operation once, and returns its result, or that of the request that executed it before. */
export type Once<Tx> = <Result>(
  handler: (execution: Execution<Tx>) => Promise<Result> | Result,
) => Promise<BodyOf<Result> | Pending>;

type Idempotent<Tx> = TRPCMiddlewareFunction<
  IdempotencyContext<Tx>,
  object,
  object,
  { readonly once: Once<Tx> },
  unknown
>;

/**
 * `procedure.input(…).use(idempotent(operation)).mutation(({ ctx, input }) => ctx.once((execution) => …))`
 *
 * It comes after the input parsers, because the fingerprint is of the validated input. The resolver returns `ctx.once(…)`
 * and not the result itself: a middleware cannot add to a procedure's type that a call may be pending, `once` can. An
 * `.output()` of the procedure validates what the client gets, first or replayed.
 *
 * An error of the handler reaches the client as it was thrown, if nothing was sent before; its key is released. After an
 * effect may have been sent the outcome is unknown after any error, unless the operation's `failurePolicy` knows better.
 */
export function idempotent<Tx>(
  operation: OperationDefinition<Tx>,
  /** The router's, such as superjson: a replayed Date is then a Date again, and an input may be a Map. */
  transformer?: Transformer,
): Idempotent<Tx> {
  const { serialize, deserialize } = transformer ?? plain;

  return async ({ ctx, input, getRawInput, next }) => {
    const { caller } = ctx;
    const { engine, key, callCount, responseHeaders, atClaim } = ctx.idempotency;
    if (callCount > 1) throw new ProblemError({ spec: idempotencyProblems.idempotency_call_batched });
    if (input === undefined && (await isGiven(getRawInput))) {
      throw parsedTooEarly();
    }

    let isProtected = false;
    const once: Once<Tx> = async <Result>(
      handler: (execution: Execution<Tx>) => Promise<Result> | Result,
    ) => {
      if (isProtected) {
        throw new Error(`${operation.name}: ctx.once(…) was called twice, and one key names one result.`);
      }
      isProtected = true;
      const outcome = await engine.run(
        operation,
        {
          ...caller,
          keyHeader: key,
          input,
          ...(transformer && { writeValue: serialize }),
          ...(atClaim && { atClaim }),
        },
        async (execution) => verdictOf(await handle(handler, execution)),
      );
      const body = bodyOf(outcome, responseHeaders);
      return (body.stored === undefined ? body.pending : read(body.stored)) as BodyOf<Result> | Pending;
    };
    // A parser that comes later would add fields that the fingerprint does not have: other commands, the same fingerprint.
    const options = { ctx: { once }, getRawInput: () => Promise.reject(parsedTooEarly()) };
    const result = await next(options);
    if (result.ok && !isProtected) {
      throw new Error(`${operation.name}: the resolver has to return ctx.once(…), or nothing is protected.`);
    }
    return result;
  };

  /** Evidence may have completed the operation, with a body that its writer did not give to the transformer. */
  function read(stored: unknown): unknown {
    const result = deserialize(stored);
    if (result !== undefined) return result;
    throw new Error(`${operation.name}: the stored result was not written by the router's transformer.`);
  }

  function parsedTooEarly(): Error {
    return new Error(`${operation.name}: idempotent(…) has to come after the procedure's input parsers.`);
  }

  async function handle<Result>(
    handler: (execution: Execution<Tx>) => Promise<Result> | Result,
    execution: Execution<Tx>,
  ): Promise<Result> {
    try {
      return await handler(execution);
    } catch (error) {
      throw isRefusal(error) ? new RefusedByApplication(error) : error;
    }
  }

  function verdictOf(result: unknown): Verdict<unknown, Tx> {
    // A handler that returns plain data has completed, and the data is the response.
    const verdict: Verdict<unknown, Tx> =
      result instanceof FromVerdict
        ? result.verdict
        : { kind: 'completed', status: 200, body: result, cause: 'returned' };
    if (verdict.kind !== 'completed' || verdict.body === undefined) return verdict;
    return { ...verdict, body: written(verdict.body) };
  }

  /** The effect has happened: that its result cannot be written is found by the engine when it stores the response. */
  function written(body: unknown): unknown {
    try {
      if (hasStream(body)) throw new TypeError('A stream, or a promise within the result, cannot be stored.');
      return serialize(body);
    } catch (error) {
      return {
        toJSON() {
          throw error;
        },
      };
    }
  }
}

/** Without a body, which is how a client sends no input, there is nothing to parse either. */
function isGiven(getRawInput: () => Promise<unknown>): Promise<boolean> {
  return getRawInput().then(
    (raw) => raw !== undefined,
    () => false,
  );
}

/** tRPC can send these in parts; written as JSON they are `{}`, and a replay would have nothing to send. */
function hasStream(body: unknown): boolean {
  const seen = new Set<unknown>([body]);
  // A set is walked in order, also over what is added meanwhile: a result may be nested deeper than the stack, or contain itself.
  for (const value of seen) {
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) continue;
    if (value instanceof Promise || Symbol.asyncIterator in value) return true;
    for (const inner of Object.values(value)) seen.add(inner);
  }
  return false;
}

/** How a router's values become JSON, and what they were. */
export interface Transformer {
  serialize(value: unknown): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: as the transformers declare it.
  deserialize(json: any): unknown;
}

const plain: Transformer = { serialize: (value) => value, deserialize: (json) => json };

/** A verdict as the result of a handler. */
class FromVerdict<Body, Tx> {
  readonly #verdict: Verdict<Body, Tx>;

  constructor(verdict: Verdict<Body, Tx>) {
    this.#verdict = verdict;
  }

  get verdict(): Verdict<Body, Tx> {
    return this.#verdict;
  }
}

/**
 * For a handler that has a verdict. The client gets the body of a completed verdict, or `Pending`. A retryable failure
 * reaches it as an error.
 */
export async function fromVerdict<Body, Tx>(
  verdict: Promise<Verdict<Body, Tx>>,
): Promise<FromVerdict<Body, Tx>> {
  return new FromVerdict(await verdict);
}

/** The application says by the error's code that the request was wrong, and not that something is broken. */
function isRefusal(error: unknown): boolean {
  return error instanceof TRPCError && getHTTPStatusCodeFromError(error) < 500;
}

function bodyOf(outcome: Outcome, headers: Pick<Headers, 'set'>): { stored?: unknown; pending?: Pending } {
  switch (outcome.kind) {
    case 'completed':
      if (outcome.replayed) setHeader(headers, 'Idempotent-Replayed', 'true');
      return { stored: readBody(outcome.response.body) };
    case 'pending': {
      const code = outcome.status === 'unknown' ? 'operation_unknown' : 'operation_in_progress';
      return { pending: { status: 'pending', code, operationId: outcome.operationId } };
    }
    case 'refused': {
      if (outcome.thrown) throw outcome.thrown.error;
      const { retryAfterSeconds } = outcome.problem;
      if (retryAfterSeconds !== undefined) setHeader(headers, 'Retry-After', String(retryAfterSeconds));
      throw new ProblemError(outcome.problem, outcome.operationId);
    }
  }
}

/** A stored result must reach its caller although the response's head has been sent already. */
function setHeader(headers: Pick<Headers, 'set'>, name: string, value: string): void {
  try {
    headers.set(name, value);
  } catch {
    // It only says what the result says as well.
  }
}
