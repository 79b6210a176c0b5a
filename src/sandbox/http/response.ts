import type { Queryable } from '../store/database.ts';

/** How an answer leaves the building. Everything but `plain` is a fault. */
export type Delivery = 'plain' | 'silent' | 'reset' | 'truncated' | 'slow' | 'after_webhook';

/** What an endpoint decided. Returning one commits whatever the endpoint wrote, a decline's 402 included. */
export interface Answer {
  status: number;
  body: object;
  delivery: Delivery;
}

export function ok(body: object): Answer {
  return { status: 200, body, delivery: 'plain' };
}

/** What every request carries, whatever it asks for. */
export interface Call {
  requestId: string;
  idempotencyKey: string | null;
  apiVersion: string;
  nowMs: number;
}

/**
 * One unit of work: a transaction, the call it serves, and the events recorded in it. Work done by the sandbox itself,
 * such as settling a payment, serves no call and has no request id.
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
  readonly answer: Answer;

  constructor(answer: Answer) {
    super('a fault struck before anything was done');
    this.answer = answer;
  }
}
