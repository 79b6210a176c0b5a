import type { OperationRef } from '#idempotency/index.ts';
import type { Assertion, OperationName, RefusalOf } from '#payments/operations/copy.ts';
import type { PrismaClient } from '#prisma';
import type { Assertions, Examined, Reconciled, Reconciler } from '#reconciliation/index.ts';
import { type Actor, actorOf, writeAuditEntry } from '../audit/write-audit-entry.ts';
import { isAtLeast, type Role } from '../members/membership.ts';
import { holdFourEyes, needsFourEyes } from './four-eyes.ts';
import { openProposal } from './open-proposal.ts';
import { reconcileWithAudit } from './reconcile-operation.ts';

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
  /** Digest of the evidence that the operator saw. An assertion on other evidence is refused. */
  readonly digest: string;
  /** The page said that another person decides. It is proposed then, also when four eyes were switched off meanwhile. */
  readonly propose?: boolean | undefined;
}

export type AssertionResult =
  /** The provider proved the outcome, or the intent was canceled. The result is the evidence's, not the assertion's. */
  | { readonly kind: 'reconciled'; readonly found: Reconciled }
  | { readonly kind: 'proposed'; readonly proposalId: string }
  | { readonly kind: 'already_proposed' }
  | { readonly kind: 'overridden' }
  | { readonly kind: 'evidence_changed' }
  | { readonly kind: 'refused'; readonly why: RefusalOf<OperationName> }
  | { readonly kind: 'needs_approver' }
  | { readonly kind: 'nothing_to_do'; readonly status: Examined['record']['status'] | 'missing' };

/**
 * An operator asserts the outcome of an operation. The provider is asked first. An assertion that the evidence proves is a
 * reconciliation with a reason attached. One that the evidence leaves open is proposed to a second operator. One that the
 * evidence denies, or that a later charge could make wrong, is refused.
 */
export async function resolveOperation(
  services: ResolutionServices,
  person: Person,
  request: AssertionRequest,
): Promise<AssertionResult> {
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
    case 'cancel_first':
      return reconcile(services, person, request, true);
    case 'override':
      if (request.propose || (await needsFourEyes(services.db, person.tenantId))) {
        return openProposal(services.db, person, request, examined);
      }
      if (!isAtLeast(person.role, 'approver')) return { kind: 'needs_approver' };
      return overrideAlone(services, person, request, examined);
  }
}

/** An owner has switched four eyes on since the setting was read, while the provider was asked. Rolls the override back. */
class TakesTwo extends Error {}

async function overrideAlone(
  services: ResolutionServices,
  person: Person,
  request: AssertionRequest,
  examined: Examined,
): Promise<AssertionResult> {
  try {
    return await override(services, person, request, examined);
  } catch (error) {
    if (error instanceof TakesTwo) return openProposal(services.db, person, request, examined);
    throw error;
  }
}

/** If a cancel comes too late, the final state of the intent is written and returned. */
async function reconcile(
  services: ResolutionServices,
  person: Person,
  request: AssertionRequest,
  cancelWaiting: boolean,
): Promise<AssertionResult> {
  const { operationId, assertion, reason } = request;
  const found = await reconcileWithAudit(services, person, operationId, {
    cancelWaiting,
    evidence: { assertion, reason },
    entryOf: (result) => ({
      action: 'operation.assertion',
      reason,
      details: { assertion, found: { ...result } },
    }),
  });
  return { kind: 'reconciled', found };
}

/** For tenants that have switched four eyes off. Reason, evidence and audit entry are the same. */
async function override(
  { assertions }: ResolutionServices,
  person: Person,
  request: AssertionRequest,
  examined: Examined,
): Promise<AssertionResult> {
  const { operationId, assertion, digest, reason } = request;
  const result = await assertions.override(refOf(person, request), actorOf(person), {
    assertion,
    digest,
    evidence: { reason, fourEyes: false },
    writes: async (tx) => {
      if (await holdFourEyes(tx, person.tenantId)) throw new TakesTwo();
      // A proposal may be open from when two operators were needed.
      await tx.$executeRaw`
        UPDATE resolution_proposal SET status = 'void', decided_at = clock_timestamp(), decided_by_id = ${person.userId},
          decided_by_email = ${person.email}, note = 'Decided without it.'
        WHERE tenant_id = ${person.tenantId} AND operation_id = ${operationId}::uuid AND status = 'open'`;
      const approver = { ...person, needs: person.needs && ('approver' as const) };
      await writeAuditEntry(tx, approver, {
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
    case 'not_admissible':
      return { kind: 'evidence_changed' };
  }
}

function refOf({ tenantId }: Person, { operationId }: AssertionRequest): OperationRef {
  return { tenantId, id: operationId };
}
