import type { Assertion } from '#payments/operations/copy.ts';
import type { Prisma } from '#prisma';
import type { Examined, OverrideResult, Reconciled } from '#reconciliation/index.ts';
import { actorOf, writeAuditEntry } from '../audit/write-audit-entry.ts';
import { approvesFrom, holdRole } from '../members/membership.ts';
import type { Person, ResolutionServices } from './resolve.ts';

export type Decided =
  | { readonly kind: 'approved' }
  | { readonly kind: 'rejected' }
  | { readonly kind: 'withdrawn' }
  /** The evidence has changed since the proposal. If it proves the outcome now, the operation was reconciled. */
  | { readonly kind: 'void'; readonly now: Examined['snapshot']; readonly reconciled: Reconciled | null }
  /** It was decided before, or the operation was resolved by evidence. */
  | { readonly kind: 'not_open'; readonly status: string }
  | { readonly kind: 'own_proposal' }
  /** The person became an approver less than a day ago. */
  | { readonly kind: 'too_new'; readonly from: string }
  | { readonly kind: 'not_yours' }
  | { readonly kind: 'missing' };

interface Choice {
  readonly id: string;
  readonly note?: string | undefined;
}

type Proposal = Prisma.ResolutionProposalGetPayload<object>;

/** Another operator decided the proposal between the read and the commit. Rolls the verdict back. */
class DecidedMeanwhile extends Error {}

/**
 * A second operator approves. The provider is asked again before anything is written, because the approval holds only for
 * the evidence of the proposal.
 */
export async function approveProposal(
  services: ResolutionServices,
  person: Person,
  choice: Choice,
): Promise<Decided> {
  const proposal = await findOpen(services, person, choice.id);
  if ('kind' in proposal) return proposal;
  if (proposal.proposerId === person.userId) return { kind: 'own_proposal' };
  const from = await approvesFrom(services.db, person);
  if (from) return { kind: 'too_new', from };
  const { operationId, reason } = proposal;

  let result: OverrideResult;
  try {
    result = await services.assertions.override(
      { tenantId: person.tenantId, id: operationId },
      actorOf(person),
      {
        assertion: proposal.assertion as Assertion,
        digest: proposal.evidenceDigest,
        evidence: { reason, proposal: proposal.id, proposedBy: `operator:${proposal.proposerId}` },
        writes: async (tx) => {
          // The provider was asked meanwhile, which takes seconds.
          if (person.needs) await holdRole(tx, person, person.needs);
          if (!(await close(tx, proposal, person, 'approved', choice.note))) throw new DecidedMeanwhile();
          await writeAuditEntry(tx, person, {
            action: 'proposal.approve',
            subject: { type: 'operation', id: operationId },
            reason: choice.note,
            details: {
              proposal: proposal.id,
              assertion: proposal.assertion,
              evidence: proposal.evidence as object,
            },
          });
        },
      },
    );
  } catch (error) {
    if (error instanceof DecidedMeanwhile) return notOpen(services, person, choice.id);
    throw error;
  }
  switch (result.kind) {
    case 'completed':
      return { kind: 'approved' };
    case 'nothing_to_do':
      return notOpen(services, person, choice.id);
    case 'drifted':
    case 'not_admissible':
      return voidProposal(services, person, proposal, result.now);
  }
}

/** The assertion is not applied. If the new evidence proves the outcome, the operation is reconciled at once. */
async function voidProposal(
  services: ResolutionServices,
  person: Person,
  proposal: Proposal,
  now: Examined,
): Promise<Decided> {
  const evidence = { ...now.snapshot } as Prisma.InputJsonObject;
  const voided = await services.db.$transaction(async (tx) => {
    const note = 'The evidence changed after it was proposed.';
    const closed = await close(tx, proposal, person, 'void', note, evidence);
    if (closed) {
      await writeAuditEntry(tx, person, {
        action: 'proposal.void',
        subject: { type: 'operation', id: proposal.operationId },
        reason: note,
        details: { proposal: proposal.id, before: proposal.evidence as object, now: evidence },
      });
    }
    return closed;
  });
  if (!voided) return notOpen(services, person, proposal.id);
  const provable = now.admissibilities.some(({ admissibility }) => admissibility.kind === 'proven');
  const reconciled = provable
    ? await services.reconciler.reconcile(
        { tenantId: person.tenantId, id: proposal.operationId },
        actorOf(person),
      )
    : null;
  return { kind: 'void', now: now.snapshot, reconciled };
}

export async function rejectProposal(
  services: ResolutionServices,
  person: Person,
  choice: Choice & { readonly note: string },
): Promise<Decided> {
  const proposal = await findOpen(services, person, choice.id);
  if ('kind' in proposal) return proposal;
  if (proposal.proposerId === person.userId) return { kind: 'own_proposal' };
  return decideAlone(services, person, proposal, 'rejected', choice.note);
}

/** Only the proposer can withdraw it. */
export async function withdrawProposal(
  services: ResolutionServices,
  person: Person,
  choice: Choice,
): Promise<Decided> {
  const proposal = await findOpen(services, person, choice.id);
  if ('kind' in proposal) return proposal;
  if (proposal.proposerId !== person.userId) return { kind: 'not_yours' };
  return decideAlone(services, person, proposal, 'withdrawn', choice.note);
}

async function decideAlone(
  services: ResolutionServices,
  person: Person,
  proposal: Proposal,
  as: 'rejected' | 'withdrawn',
  note: string | undefined,
): Promise<Decided> {
  const closed = await services.db.$transaction(async (tx) => {
    if (!(await close(tx, proposal, person, as, note))) return false;
    await writeAuditEntry(tx, person, {
      action: as === 'rejected' ? 'proposal.reject' : 'proposal.withdraw',
      subject: { type: 'operation', id: proposal.operationId },
      reason: note,
      details: { proposal: proposal.id, assertion: proposal.assertion },
    });
    return true;
  });
  return closed ? { kind: as } : notOpen(services, person, proposal.id);
}

async function close(
  tx: Prisma.TransactionClient,
  { id }: Proposal,
  person: Person,
  status: 'approved' | 'rejected' | 'void' | 'withdrawn',
  note: string | undefined,
  evidence?: Prisma.InputJsonObject,
): Promise<boolean> {
  const count = await tx.$executeRaw`
    UPDATE resolution_proposal SET status = ${status}, decided_at = clock_timestamp(), note = ${note ?? null},
      decided_by_id = ${person.userId}, decided_by_email = ${person.email},
      decision_evidence = ${evidence ? JSON.stringify(evidence) : null}::jsonb
    WHERE tenant_id = ${person.tenantId} AND id = ${id}::uuid AND status = 'open'`;
  return count === 1;
}

async function findOpen(
  services: ResolutionServices,
  person: Person,
  id: string,
): Promise<Proposal | Decided> {
  const proposal = await services.db.resolutionProposal.findFirst({
    where: { id, tenantId: person.tenantId },
  });
  if (!proposal) return { kind: 'missing' };
  return proposal.status === 'open' ? proposal : { kind: 'not_open', status: proposal.status };
}

async function notOpen(services: ResolutionServices, person: Person, id: string): Promise<Decided> {
  const found = await findOpen(services, person, id);
  return 'kind' in found ? found : { kind: 'not_open', status: found.status };
}
