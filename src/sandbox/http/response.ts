import type { Changes } from '../store/changes.ts';
import type { Queryable } from '../store/database.ts';
import type { RowReader } from '../store/read-rows.ts';

/** How a response is sent. All but `plain` are faults. */
export type SendMode = 'plain' | 'no_response' | 'reset' | 'truncated' | 'slow' | 'after_webhook';

/** The result of an endpoint. Returning one commits what the endpoint changed, also when it is the 402 of a decline. */
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
 * One unit of work: what it reads from, what it changes, and the call that it serves. Work that the sandbox does by
 * itself, such as finishing a payment, serves no call and has no request id.
 */
export interface Work {
  /** For reading only: everything that is written goes into the changes. */
  db: Queryable;
  reader: RowReader;
  changes: Changes;
  requestId: string | null;
  idempotencyKey: string | null;
  apiVersion: string;
  nowMs: number;
}

/** Sandbox time as Stripe writes it: whole epoch seconds. */
export function seconds(work: Pick<Work, 'nowMs'>): number {
  return Math.floor(work.nowMs / 1000);
}

/** The request is lost before anything is done: nothing is written, and only once per idempotency key. */
export class InjectedFault extends Error {
  readonly response: ApiResponse;

  constructor(response: ApiResponse) {
    super('a fault was injected before anything was done');
    this.response = response;
  }
}
