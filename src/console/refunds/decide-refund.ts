import type { Prisma, PrismaClient, RefundProposal } from '#prisma';
import { type Actor, writeAuditEntry } from '../audit/write-audit-entry.ts';
import { approvesFrom, holdRole } from '../members/membership.ts';
import { isOutdated, refundRequestProblems } from './refund-request.ts';
import { type RefundResult, type RefundServices, runRefund } from './run-refund.ts';

const { refund_closed } = refundRequestProblems;

export type RefundDecided =
  | { readonly kind: 'approved'; readonly result: RefundResult }
  | { readonly kind: 'rejected' }
  | { readonly kind: 'withdrawn' }
  /** Another refund was made since it was proposed, so what was proposed is no longer what would happen. */
  | { readonly kind: 'void' }
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

/**
 * A second operator approves, and the refund is made. The decision is committed before money moves, so approving again is
 * how a refund is made that the provider refused or a crash prevented: the refund's key is the same.
 */
export async function approveRefund(
  services: RefundServices,
  person: Actor,
  choice: Choice,
): Promise<RefundDecided> {
  const { db } = services;
  const proposal = await findProposal(db, person, choice.id);
  if (!proposal) return { kind: 'missing' };
  if (proposal.proposerId === person.userId) return { kind: 'own_proposal' };
  const from = await approvesFrom(db, person);
  if (from) return { kind: 'too_new', from };
  if (proposal.status !== 'approved') {
    const outdated = await isOutdated(db, person.tenantId, requestOf(proposal));
    const note = outdated ? 'Another refund of the payment was made after it was proposed.' : choice.note;
    const as = outdated ? 'void' : 'approved';
    if (!(await decide(db, person, proposal, as, note))) return notOpen(db, person, proposal.id);
    if (outdated) return { kind: 'void' };
  }
  const { tenantId } = person;
  const result = await runRefund(services, person, requestOf(proposal), async (tx) => {
    const approved = { tenantId, id: proposal.id, status: 'approved' };
    return (await tx.refundProposal.count({ where: approved })) > 0 ? undefined : { spec: refund_closed };
  });
  // `closeRefund` was first.
  if (result.kind === 'refused' && result.code === refund_closed.code)
    return notOpen(db, person, proposal.id);
  return { kind: 'approved', result };
}

export async function rejectRefund(db: PrismaClient, person: Actor, choice: Choice): Promise<RefundDecided> {
  const proposal = await findProposal(db, person, choice.id);
  if (!proposal) return { kind: 'missing' };
  if (proposal.proposerId === person.userId) return { kind: 'own_proposal' };
  const decided = await decide(db, person, proposal, 'rejected', choice.note);
  return decided ? { kind: 'rejected' } : notOpen(db, person, proposal.id);
}

/** Only the proposer can withdraw it. */
export async function withdrawRefund(
  db: PrismaClient,
  person: Actor,
  choice: Choice,
): Promise<RefundDecided> {
  const proposal = await findProposal(db, person, choice.id);
  if (!proposal) return { kind: 'missing' };
  if (proposal.proposerId !== person.userId) return { kind: 'not_yours' };
  const decided = await decide(db, person, proposal, 'withdrawn', choice.note);
  return decided ? { kind: 'withdrawn' } : notOpen(db, person, proposal.id);
}

const actions = { approved: 'approve', rejected: 'reject', void: 'void', withdrawn: 'withdraw' } as const;

/** False: another operator has decided it meanwhile. */
function decide(
  db: PrismaClient,
  person: Actor,
  { id, paymentId, amountMinor }: RefundProposal,
  as: keyof typeof actions,
  note: string | undefined,
): Promise<boolean> {
  return db.$transaction(async (tx) => {
    if (person.needs) await holdRole(tx, person, person.needs);
    const count = await tx.$executeRaw`
      UPDATE refund_proposal SET status = ${as}, decided_at = clock_timestamp(), note = ${note ?? null},
        decided_by_id = ${person.userId}, decided_by_email = ${person.email}
      WHERE tenant_id = ${person.tenantId} AND id = ${id}::uuid AND status = 'open'`;
    if (count === 0) return false;
    await writeAuditEntry(tx, person, {
      action: `refund_proposal.${actions[as]}`,
      subject: { type: 'payment', id: paymentId },
      reason: note,
      details: { proposal: id, amountMinor: Number(amountMinor) },
    });
    return true;
  });
}

function requestOf({ paymentId, amountMinor, refundsBefore, reason }: RefundProposal) {
  return { paymentId, amountMinor: Number(amountMinor), refundsBefore, reason };
}

function findProposal(
  db: Prisma.TransactionClient,
  { tenantId }: Actor,
  id: string,
): Promise<RefundProposal | null> {
  return db.refundProposal.findUnique({ where: { tenantId_id: { tenantId, id } } });
}

async function notOpen(db: Prisma.TransactionClient, person: Actor, id: string): Promise<RefundDecided> {
  return { kind: 'not_open', status: (await findProposal(db, person, id))?.status ?? 'missing' };
}
