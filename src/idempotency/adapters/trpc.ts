import { TRPCError, type TRPCMiddlewareFunction } from '@trpc/server';
import type { Engine } from '../engine.ts';
import type { Execution, OperationDefinition, Verdict } from '../operation.ts';
import type { Outcome } from '../outcome.ts';
import { idempotencyProblems, type Problem } from '../problems.ts';

/** What the middleware needs in the context. `createContext` and the procedures before it provide it. */
export interface IdempotencyContext<Tx> {
  readonly idempotency: {
    readonly engine: Engine<Tx>;
    /** The Idempotency-Key header as it arrived. */
    readonly key: string | null;
    /** How many calls are batched in this request. One header cannot name several, so an idempotent call is sent alone. */
    readonly callCount: number;
    readonly responseHeaders: Headers;
  };
  /** The caller. It comes from the authentication, never from the input. */
  readonly scope: { readonly tenantId: string; readonly principal: string };
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

type Idempotent<Tx> = TRPCMiddlewareFunction<
  IdempotencyContext<Tx>,
  object,
  object,
  { execution: Execution<Tx> },
  unknown
>;

/**
 * `procedure.input(…).use(idempotent(operation)).mutation(({ ctx, input }) => fromVerdict(handle(ctx.execution, input)))`
 *
 * It comes after the input parser, because the fingerprint is of the validated input. A replay returns without calling
 * `next()`, which never rejects: a resolver that throws makes it resolve to `{ ok: false }`.
 */
export function idempotent<Tx>(operation: OperationDefinition<Tx>): Idempotent<Tx> {
  return async ({ ctx, input, next }) => {
    const { engine, key, callCount, responseHeaders } = ctx.idempotency;
    if (callCount > 1) throw new ProblemError({ spec: idempotencyProblems.idempotency_call_batched });

    const outcome = await engine.run(
      operation,
      { ...ctx.scope, keyHeader: key, input },
      async (execution) => {
        const result = await next({ ctx: { execution } });
        if (!result.ok) throw result.error.cause ?? result.error;
        return isVerdict<Tx>(result.data) ? result.data.verdict : completed(result.data);
      },
    );
    return middlewareResult(resultOf(outcome, responseHeaders));
  };
}

const verdictBrand = Symbol('verdict');

/**
 * Passes a verdict from the resolver to the middleware. The return type is what the client gets: the body of a completed
 * verdict, or `Pending`. A retryable failure reaches the client as an error.
 */
export async function fromVerdict<T, Tx>(verdict: Promise<Verdict<T, Tx>>): Promise<T | Pending> {
  return { [verdictBrand]: true, verdict: await verdict } as unknown as T;
}

function isVerdict<Tx>(data: unknown): data is { verdict: Verdict<unknown, Tx> } {
  return typeof data === 'object' && data !== null && verdictBrand in data;
}

/** A resolver that returns plain data has completed, and the data is the response. */
function completed<Tx>(body: unknown): Verdict<unknown, Tx> {
  return { kind: 'completed', status: 200, body, cause: 'returned' };
}

function resultOf(outcome: Outcome, headers: Headers): unknown {
  switch (outcome.kind) {
    case 'completed':
      if (outcome.replayed) headers.set('Idempotent-Replayed', 'true');
      return JSON.parse(outcome.response.body);
    case 'pending': {
      const pending: Pending = {
        status: 'pending',
        code: outcome.status === 'unknown' ? 'operation_unknown' : 'operation_in_progress',
        operationId: outcome.operationId,
      };
      return pending;
    }
    case 'refused': {
      const { retryAfterSeconds } = outcome.problem;
      if (retryAfterSeconds !== undefined) headers.set('Retry-After', String(retryAfterSeconds));
      throw new ProblemError(outcome.problem, outcome.operationId);
    }
  }
}

/** tRPC recognises a middleware's result by a brand that it does not export, so the result of a replay is cast. */
function middlewareResult(data: unknown): Awaited<ReturnType<Idempotent<never>>> {
  return { ok: true, data, marker: 'middlewareMarker' } as never;
}
