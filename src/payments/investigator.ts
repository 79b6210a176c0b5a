import type { OperationDefinition, OperationRecord, Verdict } from '#idempotency/index.ts';
import type { Prisma } from '#prisma';
import type { AdmissibilityRow, AdmissibilityTable } from './admissibility.ts';
import type { Assertion, AssertionOf, OperationName } from './operations/copy.ts';
import type { ProviderSnapshot } from './provider-snapshot.ts';

type Tx = Prisma.TransactionClient;

/** The result of an investigation: a verdict to write, or nothing definitive yet. */
export type Finding =
  | { readonly kind: 'verdict'; readonly verdict: Exclude<Verdict<unknown, Tx>, { kind: 'unknown' }> }
  | Wait;

export interface Wait {
  readonly kind: 'wait';
  readonly code: string;
  /** The provider did not respond, or refused the request. */
  readonly noEvidence?: true;
  /** What was learned about an outcome that stays unknown, for the reconciler to write. */
  readonly writes?: () => Promise<void>;
}

export type Completion = Extract<Verdict<unknown, Tx>, { kind: 'completed' }>;

/**
 * All that reconciliation knows of one kind of operation: how the provider is asked about it, and what its response admits.
 * It asks the provider and never writes to our database; the verdict that it returns is written by the reconciler.
 */
export interface Investigator {
  readonly definition: OperationDefinition<Tx>;
  /** What an operator can assert about such an operation. */
  readonly assertions: { readonly happened: Assertion; readonly didNot: Assertion };
  /** By the provider's state, as `examine` returns it. */
  readonly admissibility: Readonly<Partial<Record<string, AdmissibilityRow>>>;
  /** `cancelWaiting`: an operator allows an intent to be cancelled that waits for the shopper. */
  investigate(record: OperationRecord, options?: { readonly cancelWaiting: boolean }): Promise<Finding>;
  /** Reads only: changes nothing, neither here nor at the provider. */
  examine(record: OperationRecord): Promise<ProviderSnapshot>;
  /** The verdict that it happened, on an operator's assertion. Undefined: nothing is recorded that could have happened. */
  completionOf(record: OperationRecord, snapshot: ProviderSnapshot): Promise<Completion | undefined>;
}

/** The investigator of one operation, in the vocabulary of its copy. */
export interface InvestigatorOf<Name extends OperationName> extends Investigator {
  readonly assertions: { readonly happened: AssertionOf<Name>; readonly didNot: AssertionOf<Name> };
  readonly admissibility: AdmissibilityTable<Name>;
  examine(record: OperationRecord): Promise<ProviderSnapshot<Name>>;
}

/**
 * Read immediately before a request that moves or stops money: the operation may have been resolved, and its key claimed
 * again, since the investigation began.
 */
export async function isStillUnknown(
  db: Tx,
  { tenantId, id, attempt }: Pick<OperationRecord, 'tenantId' | 'id' | 'attempt'>,
): Promise<boolean> {
  const rows = await db.$queryRaw<unknown[]>`
    SELECT FROM operation
    WHERE tenant_id = ${tenantId} AND id = ${id}::uuid AND attempt = ${attempt} AND status = 'unknown'`;
  return rows.length === 1;
}

/** An unknown verdict leaves the record as it is: it is checked again later. */
export function findingOf(verdict: Verdict<unknown, Tx>): Finding {
  return verdict.kind === 'unknown' ? wait(verdict.code) : { kind: 'verdict', verdict };
}

export function wait(code: string): Wait {
  return { kind: 'wait', code };
}

/** The key is tried again, and its attempt has not opened its payment so far: what that finds is not to be anticipated. */
export const notOpenedYet = 'not_opened_yet';

export function noEvidence(code: string): Wait {
  return { kind: 'wait', code, noEvidence: true };
}
