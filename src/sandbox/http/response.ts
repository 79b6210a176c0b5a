import type { Queryable } from '../store/database.ts';

/** How a response is sent. Everything but `plain` is a fault. */
export type Delivery = 'plain' | 'silent' | 'reset' | 'truncated' | 'slow' | 'after_webhook';

/** What an endpoint decided. Returning one commits everything the endpoint wrote, a decline's 402 included. */
export interface ApiResponse {
  status: number;
  body: object;
  delivery: Delivery;
}

export function ok(body: object): ApiResponse {
  return { status: 200, body, delivery: 'plain' };
}

/** What every request carries. */
export interface Call {
  requestId: string;
  idempotencyKey: string | null;
  apiVersion: string;
  nowMs: number;
}

/**
 * One unit of work: a transaction, the call it serves, and the events recorded in it. Work done by the sandbox itself,
 * such as finishing a payment, serves no call and has no request id.
 */
export interface Work {
  tx: Queryable;
  requestId: string | null;
  idempotencyKey: string | null;
  apiVersion: string;
  nowMs: number;
  events: string[];
}

export function seconds(work: Pick<Work, 'nowMs'>): number {
  return Math.floor(work.nowMs / 1000);
}

/** The request is lost before anything is done: rolled back, not stored, and once only per idempotency key. */
export class FaultStrike extends Error {
  readonly response: ApiResponse;

  constructor(response: ApiResponse) {
    super('a fault struck before anything was done');
    this.response = response;
  }
}
