import type { Queryable } from '../store/database.ts';

/** How a response is sent. All but `plain` are faults. */
export type SendMode = 'plain' | 'no_response' | 'reset' | 'truncated' | 'slow' | 'after_webhook';

/** The result of an endpoint. Returning one commits what the endpoint wrote, also when it is the 402 of a decline. */
export interface ApiResponse {
  status: number;
  body: object;
  sendMode: SendMode;
}

export function ok(body: object): ApiResponse {
  return { status: 200, body, sendMode: 'plain' };
}

/** The request that is being served. */
export interface Call {
  requestId: string;
  idempotencyKey: string | null;
  apiVersion: string;
  nowMs: number;
}

/**
 * One unit of work: a transaction, the call that it serves, and the events recorded in it. Work that the sandbox does by
 * itself, such as finishing a payment, serves no call and has no request id.
 */
export interface Work {
  tx: Queryable;
  requestId: string | null;
  idempotencyKey: string | null;
  apiVersion: string;
  nowMs: number;
  events: string[];
}

export function internalWork(tx: Queryable, apiVersion: string, nowMs: number): Work {
  return { tx, requestId: null, idempotencyKey: null, apiVersion, nowMs, events: [] };
}

/** Sandbox time as Stripe writes it: whole epoch seconds. */
export function seconds(work: Pick<Work, 'nowMs'>): number {
  return Math.floor(work.nowMs / 1000);
}

/** The request is lost before anything is done: rolled back, not stored, and only once per idempotency key. */
export class InjectedFault extends Error {
  readonly response: ApiResponse;

  constructor(response: ApiResponse) {
    super('a fault was injected before anything was done');
    this.response = response;
  }
}
