import type { Engine } from '../engine.ts';
import type { Handler, OperationDefinition, OperationRequest } from '../operation.ts';
import type { Outcome } from '../outcome.ts';
import { idempotencyProblems, type Problem } from '../problems.ts';

/** Builds the URLs in responses: the page that explains a problem, and the status of an operation. */
export interface HttpLinks {
  problem(code: string): string;
  operation(operationId: string): string;
}

/** For routes of the fetch API: every outcome becomes a `Response`, a refusal as `application/problem+json` (RFC 9457). */
export function createFetchAdapter<Tx>(
  engine: Engine<Tx>,
  links: HttpLinks,
  /** More fields for the 202 of a pending operation. */
  describePending: (operationId: string) => Promise<object> = async () => ({}),
) {
  return async function handle<T>(
    operation: OperationDefinition<Tx>,
    request: OperationRequest,
    handler: Handler<T, Tx>,
  ): Promise<Response> {
    const outcome = await engine.run(operation, request, handler);
    // The caller must get the 202 even if the description fails.
    const details =
      outcome.kind === 'pending' ? await describePending(outcome.operationId).catch(() => ({})) : {};
    return responseOf(outcome, links, details);
  };
}

/** These statuses allow no body, not even an empty one or `null`. */
const withoutBody: readonly number[] = [204, 205, 304];

export function responseOf(outcome: Outcome, links: HttpLinks, pendingDetails: object = {}): Response {
  switch (outcome.kind) {
    case 'completed': {
      const { status, body } = outcome.response;
      const hasBody = body !== '' && !withoutBody.includes(status);
      return new Response(hasBody ? body : null, {
        status,
        headers: {
          ...(hasBody && { 'Content-Type': 'application/json' }),
          'Operation-Id': outcome.operationId,
          ...(outcome.replayed && { 'Idempotent-Replayed': 'true' }),
        },
      });
    }
    case 'pending':
      return pendingResponse(outcome, links, pendingDetails);
    case 'refused':
      return problemResponse(outcome.problem, links, outcome.operationId);
  }
}

/** A 202 is no error and so no problem document, but it has the code, and says not to start over with another key. */
function pendingResponse(
  { operationId, status }: Extract<Outcome, { kind: 'pending' }>,
  links: HttpLinks,
  details: object,
): Response {
  const { code, explanation, action } = idempotencyProblems.operation_unknown;
  const statusUrl = links.operation(operationId);
  const running = {
    code: 'operation_in_progress',
    detail: 'The operation is being executed. Read the status URL; do not start over with another key.',
  };
  const body = {
    operationId,
    status,
    statusUrl,
    ...(status === 'unknown' ? { code, detail: `${explanation} ${action}` } : running),
    ...details,
  };
  return Response.json(body, { status: 202, headers: { Location: statusUrl, 'Retry-After': '2' } });
}

export function problemResponse(problem: Problem, links: HttpLinks, operationId?: string): Response {
  const { spec, detail, advice = spec, retryAfterSeconds, extensions } = problem;
  const body = {
    ...extensions,
    type: links.problem(spec.code),
    title: spec.title,
    status: spec.http,
    detail: detail ?? spec.explanation,
    code: spec.code,
    action: advice.action,
    newKey: advice.newKey,
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
