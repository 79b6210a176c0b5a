import type { Outcome } from '#idempotency/index.ts';

/** What one caller wants paid. */
export interface Command {
  readonly orderId: string;
  readonly amountCents: number;
  readonly currency: string;
}

/** A provider in this process, so that a figure is about us and not about a network. It is called once per execution. */
export interface BenchProvider {
  charge(key: string): Promise<string>;
}

export interface OpenOptions {
  readonly url: string;
  readonly pool: number;
  readonly provider: BenchProvider;
}

export interface Workload {
  /** Returns the response with its `chargeId`, or throws an error whose `outcome` says why there is none. */
  pay(key: string, command: Command): Promise<{ readonly chargeId: string }>;
  close(): Promise<void>;
}

export const benchTenant = 't1';

export function responseOf<Body>(outcome: Outcome): Body {
  if (outcome.kind === 'completed') return JSON.parse(outcome.response.body) as Body;
  if (outcome.kind === 'pending') throw failure(outcome.status === 'unknown' ? 'unknown' : 'in-progress');
  const { code } = outcome.problem.spec;
  if (code === 'idempotency_key_reused') throw failure('mismatch');
  throw failure(code === 'idempotency_key_in_progress' ? 'in-progress' : code);
}

function failure(outcome: string): Error {
  return Object.assign(new Error(outcome), { outcome });
}
