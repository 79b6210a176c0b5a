import type { OperationDefinition, OperationRecord, Verdict } from '#idempotency/index.ts';
import type { Prisma } from '#prisma';
import type { Sighting } from './provider-snapshot.ts';
import type { Claim } from './assess.ts';

export type Tx = Prisma.TransactionClient;

/** What asking the provider came to: a verdict to write, or nothing definitive yet. */
export type Finding =
  | { readonly kind: 'verdict'; readonly verdict: Exclude<Verdict<unknown, Tx>, { kind: 'unknown' }> }
  | Wait;

export interface Wait {
  readonly kind: 'wait';
  readonly code: string;
  /** Nothing was said about it: the provider did not answer, or refused the question. */
  readonly noWord?: true;
}

export type Completion = Extract<Verdict<unknown, Tx>, { kind: 'completed' }>;

/** How to learn the truth about one kind of operation. Asks; never writes. */
export interface Investigator {
  readonly operation: OperationDefinition<Tx>;
  /** What a person can say of such an operation. */
  readonly claims: { readonly happened: Claim; readonly didNot: Claim };
  /** `withdraw`: a person gives leave to cancel also what still waits for somebody, such as the shopper's bank. */
  investigate(record: OperationRecord, leave?: { readonly withdraw: boolean }): Promise<Finding>;
  /** Looks, and touches nothing: neither here nor at the provider. */
  examine(record: OperationRecord): Promise<Sighting>;
  /** The verdict that it happened, on a person's word. Undefined: there is nothing on record that could have. */
  believe(record: OperationRecord, sighting: Sighting): Promise<Completion | undefined>;
}

/** An unknown leaves things as they are: whoever asked looks again, or a person does. */
export function findingOf(verdict: Verdict<unknown, Tx>): Finding {
  return verdict.kind === 'unknown' ? wait(verdict.code) : { kind: 'verdict', verdict };
}

export function wait(code: string): Wait {
  return { kind: 'wait', code };
}

export function noWord(code: string): Wait {
  return { kind: 'wait', code, noWord: true };
}
