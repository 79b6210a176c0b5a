import type { FastifyReply } from 'fastify';
import type { Call } from './response.ts';
import type { Execution } from './idempotency.ts';
import type { Patience } from './idle-timeouts.ts';

export interface DeliveryRoom {
  patience: Patience;
  slowAnswerMs: number;
  /** Resolves when the events have reached the endpoints, or when waiting any longer is pointless. */
  webhooksArrived(events: string[]): Promise<void>;
}

/** Brings the answer to the caller, or goes wrong in exactly the way that was asked for. */
export async function deliver(
  reply: FastifyReply,
  call: Call,
  execution: Execution,
  room: DeliveryRoom,
): Promise<FastifyReply> {
  switch (execution.delivery) {
    case 'plain':
      return send(reply, call, execution);
    case 'slow':
      return (await room.patience.wait(room.slowAnswerMs)) ? send(reply, call, execution) : resetting(reply);
    case 'after_webhook':
      await room.webhooksArrived(execution.events);
      return send(reply, call, execution);
    case 'silent':
      return stayingSilent(reply);
    case 'reset':
      return resetting(reply);
    case 'truncated':
      return truncating(reply, call, execution);
  }
}

/** The connection stays open and nothing is ever written to it; the caller has to give up first, or the sandbox close. */
export function stayingSilent(reply: FastifyReply): FastifyReply {
  return reply.hijack();
}

/** A real TCP reset, not a polite close. */
export function resetting(reply: FastifyReply): FastifyReply {
  reply.hijack();
  reply.request.raw.socket.resetAndDestroy();
  return reply;
}

function send(reply: FastifyReply, call: Call, execution: Execution): FastifyReply {
  return reply.code(execution.status).headers(headersOf(call, execution)).send(execution.body);
}

/** Promises the whole length, sends half of it, hangs up. */
function truncating(reply: FastifyReply, call: Call, execution: Execution): FastifyReply {
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
    // A stored 500 comes back as it is, so Stripe tells its SDKs not to bother.
    ...(execution?.status === 500 && execution.originalRequest ? { 'stripe-should-retry': 'false' } : {}),
  };
}
