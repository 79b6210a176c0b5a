import type { OperationDefinition, OperationRecord, Verdict } from '#idempotency/index.ts';
import type { Prisma } from '#prisma';

export type Tx = Prisma.TransactionClient;

/** What asking the provider came to: a verdict to write, or nothing definitive yet. */
export type Finding =
  | { readonly kind: 'verdict'; readonly verdict: Exclude<Verdict<unknown, Tx>, { kind: 'unknown' }> }
  | { readonly kind: 'wait'; readonly code: string };

/** How to learn the truth about one kind of operation. Asks; never writes. */
export interface Investigator {
  readonly operation: OperationDefinition<Tx>;
  investigate(record: OperationRecord): Promise<Finding>;
}

export function wait(code: string): Finding {
  return { kind: 'wait', code };
}
