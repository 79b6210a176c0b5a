import type { FastifyReply } from 'fastify';
import type { Execution } from './idempotency.ts';
import type { Call } from './response.ts';
import type { ResponseDelays } from './response-delays.ts';

export interface SendContext {
  delays: ResponseDelays;
  slowResponseMs: number;
  /** Resolves when the events have been delivered, or after a timeout. */
  waitForWebhooks(events: string[]): Promise<void>;
}

/** Sends the response to the caller, or fails in the way that the fault requests. */
export async function sendResponse(
  reply: FastifyReply,
  call: Call,
  execution: Execution,
  context: SendContext,
): Promise<FastifyReply> {
  switch (execution.sendMode) {
    case 'plain':
      return send(reply, call, execution);
    case 'slow':
      return (await context.delays.wait(context.slowResponseMs))
        ? send(reply, call, execution)
        : resetConnection(reply);
    case 'after_webhook':
      await context.waitForWebhooks(execution.events);
      return send(reply, call, execution);
    case 'no_response':
      return neverRespond(reply);
    case 'reset':
      return resetConnection(reply);
    case 'truncated':
      return truncateResponse(reply, call, execution);
  }
}

/** The connection stays open and nothing is written to it until the caller times out or the sandbox closes. */
export function neverRespond(reply: FastifyReply): FastifyReply {
  return reply.hijack();
}

/** A TCP reset (RST), not an orderly close. */
export function resetConnection(reply: FastifyReply): FastifyReply {
  reply.hijack();
  reply.request.raw.socket.resetAndDestroy();
  return reply;
}

function send(reply: FastifyReply, call: Call, execution: Execution): FastifyReply {
  return reply.code(execution.status).headers(headersOf(call, execution)).send(execution.body);
}

/** Sends the content length of the whole body, half of the body, and closes the connection. */
function truncateResponse(reply: FastifyReply, call: Call, execution: Execution): FastifyReply {
  reply.hijack();
  const body = Buffer.from(execution.body);
  reply.raw.writeHead(execution.status, { ...headersOf(call, execution), 'content-length': body.length });
  reply.raw.write(body.subarray(0, Math.floor(body.length / 2)), () => reply.raw.destroy());
  return reply;
}

export function headersOf(call: Call, execution?: Execution): Record<string, string> {
  return {
    'content-type': 'application/json',
    'cache-control': 'no-cache, no-store',
    'request-id': call.requestId,
    'stripe-version': call.apiVersion,
    ...(call.idempotencyKey === null ? {} : { 'idempotency-key': call.idempotencyKey }),
    ...(execution?.originalRequest ? { 'original-request': execution.originalRequest } : {}),
    ...(execution?.replayed ? { 'idempotent-replayed': 'true' } : {}),
    // A retry would only replay the stored 500, so Stripe asks its SDKs not to.
    ...(execution?.status === 500 && execution.originalRequest ? { 'stripe-should-retry': 'false' } : {}),
  };
}
