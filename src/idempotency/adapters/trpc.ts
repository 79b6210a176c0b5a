import { TRPCError, type TRPCMiddlewareFunction } from '@trpc/server';
import type { Engine } from '../engine.ts';
import type { Execution, OperationDefinition, Verdict } from '../operation.ts';
import type { Outcome } from '../outcome.ts';
import { idempotencyProblems, type Problem } from '../problems.ts';

/** What the middleware needs to find in the context; the procedures before it put it there. */
export interface IdempotencyContext<Tx> {
  readonly idempotency: {
    readonly engine: Engine<Tx>;
    /** The header as it came. */
    readonly key: string | null;
    /** How many calls share this request: an idempotent one must be alone. */
    readonly callCount: number;
    readonly responseHeaders: Headers;
  };
  /** The owner of the key. Set by the authentication, never by the caller. */
  readonly scope: { readonly tenantId: string; readonly principal: string };
}

/** The result of a call whose outcome is not known yet. Not an error, and never to be shown as one. */
export interface Pending {
  readonly status: 'pending';
  readonly code: 'operation_unknown' | 'operation_in_progress';
  readonly operationId: string;
}

/** Carries a problem through tRPC, so that the error formatter can hand its code to the client. */
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
 * `procedure.input(…).use(idempotent(operation)).mutation(({ ctx, input }) => response(handle(ctx.execution, input)))`
 *
 * It must come after the input parser: the fingerprint is of the validated input. `next()` never rejects, it resolves
 * to `{ ok: false }`; and a replay returns without calling it.
 */
export function idempotent<Tx>(operation: OperationDefinition<Tx>): Idempotent<Tx> {
  return async ({ ctx, input, next }) => {
    const { engine, key, callCount, responseHeaders } = ctx.idempotency;
    if (callCount > 1) throw problem({ spec: idempotencyProblems.idempotency_call_batched });

    const outcome = await engine.run(
      operation,
      { ...ctx.scope, keyHeader: key, input },
      async (execution) => {
        const result = await next({ ctx: { execution } });
        if (!result.ok) throw result.error.cause ?? result.error;
        return isVerdict<Tx>(result.data) ? result.data.verdict : completed(result.data);
      },
    );
    return branded(translate(outcome, responseHeaders));
  };
}

const verdictMark = Symbol('verdict');

/**
 * Hands a verdict from the resolver to the middleware. The types say what the client will see: the body of a
 * completed verdict, or `Pending`; a retryable failure arrives there as an error.
 */
export async function response<T, Tx>(verdict: Promise<Verdict<T, Tx>>): Promise<T | Pending> {
  return { [verdictMark]: true, verdict: await verdict } as unknown as T;
}

function isVerdict<Tx>(data: unknown): data is { verdict: Verdict<unknown, Tx> } {
  return typeof data === 'object' && data !== null && verdictMark in data;
}

/** A resolver that returns plain data has finished, and the data is the response. */
function completed<Tx>(body: unknown): Verdict<unknown, Tx> {
  return { kind: 'completed', status: 200, body, cause: 'returned' };
}

function translate(outcome: Outcome, headers: Headers): unknown {
  switch (outcome.kind) {
    case 'completed':
      if (outcome.replayed) headers.set('Idempotent-Replayed', 'true');
      return JSON.parse(outcome.response.body);
    case 'pending': {
      const pending: Pending = {
        status: 'pending',
        code: outcome.why === 'unknown' ? 'operation_unknown' : 'operation_in_progress',
        operationId: outcome.operationId,
      };
      return pending;
    }
    case 'refused': {
      const { retryAfterSeconds } = outcome.problem;
      if (retryAfterSeconds !== undefined) headers.set('Retry-After', String(retryAfterSeconds));
      throw problem(outcome.problem, outcome.operationId);
    }
  }
}

/** tRPC recognises a middleware's result by a brand it does not export; a replay has to make one. The only such cast. */
function branded(data: unknown): Awaited<ReturnType<Idempotent<never>>> {
  return { ok: true, data, marker: 'middlewareMarker' } as never;
}

function problem(value: Problem, operationId?: string): ProblemError {
  return new ProblemError(value, operationId);
}
