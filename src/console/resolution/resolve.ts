import type { OperationRef } from '#idempotency/index.ts';
import type { Assertion, OperationName, RefusalOf } from '#payments/operations/copy.ts';
import type { PrismaClient } from '#prisma';
import type { Assertions, Examined, Reconciled, Reconciler } from '#reconciliation/index.ts';
import { type Actor, writeAuditEntry } from '../audit/write-audit-entry.ts';
import { type Role, reaches } from '../members/membership.ts';
import { needsFourEyes } from './four-eyes.ts';
import { openProposal } from './open-proposal.ts';

export type Person = Actor & { readonly role: Role };

export interface ResolutionServices {
  readonly db: PrismaClient;
  readonly reconciler: Reconciler;
  readonly assertions: Assertions;
}

export interface AssertionRequest {
  readonly operationId: string;
  readonly assertion: Assertion;
  readonly reason: string;
  /** Of the evidence on the operator's screen. Other evidence than that is refused. */
  readonly digest: string;
}

export type Resolution =
  /** The provider proved the outcome, or the intent was canceled. What was found holds, not what was asserted. */
  | { readonly kind: 'reconciled'; readonly found: Reconciled }
  | { readonly kind: 'proposed'; readonly proposalId: string }
  | { readonly kind: 'already_proposed' }
  | { readonly kind: 'overridden' }
  | { readonly kind: 'evidence_changed' }
  | { readonly kind: 'refused'; readonly why: RefusalOf<OperationName> }
  | { readonly kind: 'takes_an_approver' }
  | { readonly kind: 'nothing_to_do'; readonly status: Examined['record']['status'] | 'missing' };

/**
 * An operator asserts the outcome of an operation. The provider is asked first. An assertion that it proves is an ordinary
 * reconciliation with a reason attached; one that it leaves open is proposed to a second operator; one that it denies, and
 * one that could still be followed by a charge, is refused.
 */
export async function resolveOperation(
  services: ResolutionServices,
  person: Person,
  request: AssertionRequest,
): Promise<Resolution> {
  const examined = await services.assertions.examine(refOf(person, request));
  if (examined?.record.status !== 'unknown') {
    return { kind: 'nothing_to_do', status: examined?.record.status ?? 'missing' };
  }
  const admissibility = examined.admissibilities.find(
    ({ assertion }) => assertion === request.assertion,
  )?.admissibility;
  if (!admissibility) return { kind: 'refused', why: 'not_of_this_kind' };
  if (examined.digest !== request.digest) return { kind: 'evidence_changed' };
  switch (admissibility.kind) {
    case 'refused':
      return admissibility;
    case 'proven':
      return reconcile(services, person, request, false);
    case 'cancel':
      return reconcile(services, person, request, true);
    case 'override':
      if (await needsFourEyes(services.db, person.tenantId)) {
        return openProposal(services.db, person, request, examined);
      }
      if (!reaches(person.role, 'approver')) return { kind: 'takes_an_approver' };
      return override(services, person, request, examined);
  }
}

/** The ordinary reconciliation. If a cancel comes too late, the final state of the intent is written and returned. */
async function reconcile(
  { db, reconciler }: ResolutionServices,
  person: Person,
  request: AssertionRequest,
  withdraw: boolean,
): Promise<Resolution> {
  const { operationId, assertion, reason } = request;
  const entry = (found: Reconciled) => ({
    action: 'operation.assertion',
    subject: { type: 'operation', id: operationId },
    reason,
    details: { assertion, found: { ...found } },
  });
  const found = await reconciler.reconcile(refOf(person, request), actorOf(person), {
    withdraw,
    evidence: { assertion, reason },
    writes: (tx, result) => writeAuditEntry(tx, person, entry(result)),
  });
  // A check that changed nothing has no transaction of its own; the audit log still says that it was made.
  if (found.kind === 'still_unknown' || found.kind === 'nothing_to_do') {
    await writeAuditEntry(db, person, entry(found));
  }
  return { kind: 'reconciled', found };
}

/** Where the tenant has switched four eyes off. Still with reason, evidence, and an entry in the log. */
async function override(
  { assertions }: ResolutionServices,
  person: Person,
  request: AssertionRequest,
  examined: Examined,
): Promise<Resolution> {
  const { operationId, assertion, digest, reason } = request;
  const result = await assertions.override(refOf(person, request), actorOf(person), {
    assertion,
    digest,
    evidence: { reason, fourEyes: false },
    writes: async (tx) => {
      // One may be left from when two operators were needed.
      await tx.$executeRaw`
        UPDATE resolution_proposal SET status = 'void', decided_at = clock_timestamp(), decided_by_id = ${person.userId},
          decided_by_email = ${person.email}, note = 'Decided without it.'
        WHERE tenant_id = ${person.tenantId} AND operation_id = ${operationId}::uuid AND status = 'open'`;
      await writeAuditEntry(tx, person, {
        action: 'operation.override',
        subject: { type: 'operation', id: operationId },
        reason,
        details: { assertion, evidence: { ...examined.snapshot }, fourEyes: false },
      });
    },
  });
  switch (result.kind) {
    case 'completed':
      return { kind: 'overridden' };
    case 'nothing_to_do':
      return result;
    case 'drifted':
    case 'not_open':
      return { kind: 'evidence_changed' };
  }
}

function refOf({ tenantId }: Person, { operationId }: AssertionRequest): OperationRef {
  return { tenantId, id: operationId };
}

export function actorOf(person: Actor): string {
  return `operator:${person.userId}`;
}
