import type { FastifyReply } from 'fastify';
import type { Execution } from './idempotency.ts';
import type { Call } from './response.ts';
import type { ResponseDelays } from './response-delays.ts';

export interface DeliveryContext {
  delays: ResponseDelays;
  slowResponseMs: number;
  /** Resolves when the events have reached the endpoints, or when waiting any longer is pointless. */
  webhooksArrived(events: string[]): Promise<void>;
}

/** Sends the response to the caller, or fails in exactly the way that was requested. */
export async function deliver(
  reply: FastifyReply,
  call: Call,
  execution: Execution,
  context: DeliveryContext,
): Promise<FastifyReply> {
  switch (execution.delivery) {
    case 'plain':
      return send(reply, call, execution);
    case 'slow':
      return (await context.delays.wait(context.slowResponseMs))
        ? send(reply, call, execution)
        : resetConnection(reply);
    case 'after_webhook':
      await context.webhooksArrived(execution.events);
      return send(reply, call, execution);
    case 'silent':
      return neverRespond(reply);
    case 'reset':
      return resetConnection(reply);
    case 'truncated':
      return truncateResponse(reply, call, execution);
  }
}

/** The connection stays open and nothing is ever written to it; the caller has to give up first, or the sandbox close. */
export function neverRespond(reply: FastifyReply): FastifyReply {
  return reply.hijack();
}

/** A real TCP reset, not a polite close. */
export function resetConnection(reply: FastifyReply): FastifyReply {
  reply.hijack();
  reply.request.raw.socket.resetAndDestroy();
  return reply;
}

function send(reply: FastifyReply, call: Call, execution: Execution): FastifyReply {
  return reply.code(execution.status).headers(headersOf(call, execution)).send(execution.body);
}

/** Announces the whole length, sends half of it and closes the connection. */
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
    // A stored 500 comes back as it is, so Stripe tells its SDKs not to retry.
    ...(execution?.status === 500 && execution.originalRequest ? { 'stripe-should-retry': 'false' } : {}),
  };
}
