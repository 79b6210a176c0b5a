import type { Engine, OperationRequest } from '../engine.ts';
import type { Handler, OperationDefinition } from '../operation.ts';
import type { Outcome } from '../outcome.ts';
import { idempotencyProblems, type Problem } from '../problems.ts';

/** The pages and resources that responses link to. */
export interface HttpLinks {
  problem(code: string): string;
  operation(operationId: string): string;
}

/** Plain HTTP: the same engine, `Idempotency-Key` in, an HTTP response or problem+json (RFC 9457) out. */
export function createFetchAdapter<Tx>(
  engine: Engine<Tx>,
  links: HttpLinks,
  /** What a caller needs to know of a pending operation besides that it is pending. */
  describePending: (operationId: string) => Promise<object> = async () => ({}),
) {
  return async function handle<T>(
    operation: OperationDefinition<Tx>,
    request: OperationRequest,
    handler: Handler<T, Tx>,
  ): Promise<Response> {
    const outcome = await engine.run(operation, request, handler);
    // That it is pending must reach the caller even when nothing more can be found out about it.
    const more =
      outcome.kind === 'pending' ? await describePending(outcome.operationId).catch(() => ({})) : {};
    return responseOf(outcome, links, more);
  };
}

export function responseOf(outcome: Outcome, links: HttpLinks, pending: object = {}): Response {
  switch (outcome.kind) {
    case 'completed':
      return new Response(outcome.response.body, {
        status: outcome.response.status,
        headers: {
          'Content-Type': 'application/json',
          'Operation-Id': outcome.operationId,
          ...(outcome.replayed && { 'Idempotent-Replayed': 'true' }),
        },
      });
    case 'pending':
      return pendingResponse(outcome.operationId, outcome.why, links, pending);
    case 'refused':
      return problemResponse(outcome.problem, links, outcome.operationId);
  }
}

/** 202: not an error, so not a problem document; but it names the code, and says in words what not to do. */
function pendingResponse(
  operationId: string,
  why: 'unknown' | 'running',
  links: HttpLinks,
  more: object,
): Response {
  const { code, explanation, action } = idempotencyProblems.operation_unknown;
  const statusUrl = links.operation(operationId);
  const running = {
    code: 'operation_in_progress',
    detail: 'The operation is being executed. Read the status URL; do not start over with another key.',
  };
  const body = {
    operationId,
    status: why === 'unknown' ? 'unknown' : 'in_progress',
    statusUrl,
    ...(why === 'unknown' ? { code, detail: `${explanation} ${action}` } : running),
    ...more,
  };
  return Response.json(body, { status: 202, headers: { Location: statusUrl, 'Retry-After': '2' } });
}

export function problemResponse(problem: Problem, links: HttpLinks, operationId?: string): Response {
  const { spec, detail, retryAfterSeconds, extensions } = problem;
  const body = {
    ...extensions,
    type: links.problem(spec.code),
    title: spec.title,
    status: spec.http,
    detail: detail ?? spec.explanation,
    code: spec.code,
    action: spec.action,
    newKey: spec.newKey,
    ...(operationId && { operationId, statusUrl: links.operation(operationId) }),
  };
  return new Response(JSON.stringify(body), {
    status: spec.http,
    headers: {
      'Content-Type': 'application/problem+json',
      'Cache-Control': 'no-store',
      ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
    },
  });
}
