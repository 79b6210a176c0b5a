import type { Prisma } from '#prisma';
import type { Claim, Examined, Overruled, Reconciled } from '#reconciliation/index.ts';
import { recordDeed } from '../audit/write-audit-entry.ts';
import { actorOf, type Desk, type Person } from './resolve.ts';

export type Decided =
  | { readonly kind: 'approved' }
  | { readonly kind: 'rejected' }
  | { readonly kind: 'withdrawn' }
  /** The provider says something else by now. If that proves the outcome, the ordinary reconciliation has taken over. */
  | { readonly kind: 'void'; readonly now: Examined['sighting']; readonly reconciled: Reconciled | null }
  /** Somebody decided before, or the truth came by itself. */
  | { readonly kind: 'not_open'; readonly status: string }
  | { readonly kind: 'own_proposal' }
  | { readonly kind: 'not_yours' }
  | { readonly kind: 'missing' };

interface Choice {
  readonly id: string;
  readonly note?: string | undefined;
}

type Proposal = Prisma.VerdictProposalGetPayload<object>;

/** The proposal was decided by somebody else between the look and the commit; takes the verdict back with it. */
class DecidedMeanwhile extends Error {}

/**
 * A second person agrees. The provider is asked again before anything is written: an approval is of the evidence that
 * was proposed on, and of no other.
 */
export async function approveProposal(desk: Desk, person: Person, choice: Choice): Promise<Decided> {
  const proposal = await findOpen(desk, person, choice.id);
  if ('kind' in proposal) return proposal;
  if (proposal.proposerId === person.userId) return { kind: 'own_proposal' };
  const { operationId, reason } = proposal;

  let result: Overruled;
  try {
    result = await desk.verdicts.overrule(operationId, actorOf(person), {
      claim: proposal.verdict as Claim,
      digest: proposal.evidenceDigest,
      evidence: { reason, proposal: proposal.id, proposedBy: `operator:${proposal.proposerId}` },
      writes: async (tx) => {
        if (!(await close(tx, proposal, person, 'approved', choice.note))) throw new DecidedMeanwhile();
        await recordDeed(tx, person, {
          action: 'proposal.approve',
          subject: { type: 'operation', id: operationId },
          reason: choice.note,
          details: {
            proposal: proposal.id,
            verdict: proposal.verdict,
            evidence: proposal.evidence as object,
          },
        });
      },
    });
  } catch (error) {
    if (error instanceof DecidedMeanwhile) return notOpen(desk, person, choice.id);
    throw error;
  }
  switch (result.kind) {
    case 'settled':
      return { kind: 'approved' };
    case 'nothing_to_do':
      return notOpen(desk, person, choice.id);
    case 'drifted':
    case 'not_open':
      return voidProposal(desk, person, proposal, result.now);
  }
}

/** Nothing of what was proposed happens. What the provider can prove by now is not waited for, though. */
async function voidProposal(desk: Desk, person: Person, proposal: Proposal, now: Examined): Promise<Decided> {
  const evidence = { ...now.sighting } as Prisma.InputJsonObject;
  const voided = await desk.db.$transaction(async (tx) => {
    const note = 'The evidence changed after it was proposed.';
    const closed = await close(tx, proposal, person, 'void', note, evidence);
    if (closed) {
      await recordDeed(tx, person, {
        action: 'proposal.void',
        subject: { type: 'operation', id: proposal.operationId },
        reason: note,
        details: { proposal: proposal.id, before: proposal.evidence as object, now: evidence },
      });
    }
    return closed;
  });
  if (!voided) return notOpen(desk, person, proposal.id);
  const provable = now.standings.some(({ standing }) => standing.kind === 'proven');
  const reconciled = provable ? await desk.reconciler.reconcile(proposal.operationId, actorOf(person)) : null;
  return { kind: 'void', now: now.sighting, reconciled };
}

export async function rejectProposal(
  desk: Desk,
  person: Person,
  choice: Choice & { readonly note: string },
): Promise<Decided> {
  const proposal = await findOpen(desk, person, choice.id);
  if ('kind' in proposal) return proposal;
  if (proposal.proposerId === person.userId) return { kind: 'own_proposal' };
  return decideAlone(desk, person, proposal, 'rejected', choice.note);
}

/** Only who proposed can take it back. */
export async function withdrawProposal(desk: Desk, person: Person, choice: Choice): Promise<Decided> {
  const proposal = await findOpen(desk, person, choice.id);
  if ('kind' in proposal) return proposal;
  if (proposal.proposerId !== person.userId) return { kind: 'not_yours' };
  return decideAlone(desk, person, proposal, 'withdrawn', choice.note);
}

async function decideAlone(
  desk: Desk,
  person: Person,
  proposal: Proposal,
  as: 'rejected' | 'withdrawn',
  note: string | undefined,
): Promise<Decided> {
  const closed = await desk.db.$transaction(async (tx) => {
    if (!(await close(tx, proposal, person, as, note))) return false;
    await recordDeed(tx, person, {
      action: as === 'rejected' ? 'proposal.reject' : 'proposal.withdraw',
      subject: { type: 'operation', id: proposal.operationId },
      reason: note,
      details: { proposal: proposal.id, verdict: proposal.verdict },
    });
    return true;
  });
  return closed ? { kind: as } : notOpen(desk, person, proposal.id);
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
    UPDATE verdict_proposal SET status = ${status}, decided_at = clock_timestamp(), note = ${note ?? null},
      decided_by_id = ${person.userId}, decided_by_email = ${person.email},
      decision_evidence = ${evidence ? JSON.stringify(evidence) : null}::jsonb
    WHERE id = ${id}::uuid AND status = 'open'`;
  return count === 1;
}

async function findOpen(desk: Desk, person: Person, id: string): Promise<Proposal | Decided> {
  const proposal = await desk.db.verdictProposal.findFirst({ where: { id, tenantId: person.tenantId } });
  if (!proposal) return { kind: 'missing' };
  return proposal.status === 'open' ? proposal : { kind: 'not_open', status: proposal.status };
}

async function notOpen(desk: Desk, person: Person, id: string): Promise<Decided> {
  const found = await findOpen(desk, person, id);
  return 'kind' in found ? found : { kind: 'not_open', status: found.status };
}
