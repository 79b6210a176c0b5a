import { sqlState } from '#idempotency/stores/prisma.ts';
import { money } from '#payments/money.ts';
import { Prisma, type PrismaClient } from '#prisma';
import { type Actor, writeAuditEntry } from '../audit/write-audit-entry.ts';
import { whoMayPropose } from '../members/membership.ts';
import { type RefundRequest, referenceOf } from './refund-request.ts';

type Db = Prisma.TransactionClient;
type Row = Prisma.RefundProposalGetPayload<{ include: { payment: true } }>;

/** One open proposal for a payment, by a partial unique index. */
export async function openRefundProposal(
  db: PrismaClient,
  proposer: Actor,
  request: RefundRequest,
): Promise<{ readonly kind: 'proposed' } | { readonly kind: 'already_proposed' }> {
  const { paymentId, amountMinor, refundsBefore, reason } = request;
  try {
    await db.$transaction(async (tx) => {
      const { id } = await tx.refundProposal.create({
        data: {
          tenantId: proposer.tenantId,
          paymentId,
          amountMinor,
          refundsBefore,
          reason,
          proposerId: proposer.userId,
          proposerEmail: proposer.email,
        },
        select: { id: true },
      });
      await writeAuditEntry(tx, proposer, {
        action: 'refund_proposal.open',
        subject: { type: 'payment', id: paymentId },
        reason,
        details: { proposal: id, amountMinor },
      });
    });
  } catch (error) {
    if (sqlState(error) === '23505' || (error as { code?: unknown }).code === 'P2002') {
      return { kind: 'already_proposed' };
    }
    throw error;
  }
  return { kind: 'proposed' };
}

/**
 * Approved, but neither made nor overtaken by another refund: the provider could not be reached, or the process died. A later proposal
 * for the payment takes the place of an earlier one.
 */
export function unmadeProposals(tenantId: string): Prisma.Sql {
  return Prisma.sql`
    SELECT p.id FROM refund_proposal p
    WHERE p.tenant_id = ${tenantId} AND p.status = 'approved'
      AND p.refunds_before >= (SELECT count(*) FROM refund r
        WHERE r.tenant_id = p.tenant_id AND r.payment_id = p.payment_id AND r.status <> 'released')
      AND NOT EXISTS (SELECT FROM refund_proposal l
        WHERE l.tenant_id = p.tenant_id AND l.payment_id = p.payment_id AND l.proposed_at > p.proposed_at)`;
}

async function readUnmade(db: Db, tenantId: string): Promise<string[]> {
  const rows = await db.$queryRaw<{ id: string }[]>(unmadeProposals(tenantId));
  return rows.map(({ id }) => id);
}

/** Those that wait for a person, oldest first, because operators wait for them; and the others, newest first. */
export async function listRefundProposals(db: Db, tenantId: string, limit = 100) {
  const unmade = await readUnmade(db, tenantId);
  const read = (
    where: Prisma.RefundProposalWhereInput,
    order: Prisma.RefundProposalOrderByWithRelationInput,
  ) =>
    db.refundProposal.findMany({
      where: { tenantId, ...where },
      orderBy: [order, { id: 'asc' }],
      take: limit,
      include: { payment: true },
    });
  const [open, decided] = await Promise.all([
    read({ OR: [{ status: 'open' }, { id: { in: unmade } }] }, { proposedAt: 'asc' }),
    read({ status: { not: 'open' }, id: { notIn: unmade } }, { decidedAt: 'desc' }),
  ]);
  const [openViews, decidedViews] = await Promise.all([
    viewAll(db, open, unmade),
    viewAll(db, decided, unmade),
  ]);
  return { open: openViews, decided: decidedViews };
}

export async function refundProposalsOf(db: Db, tenantId: string, paymentId: string) {
  const rows = await db.refundProposal.findMany({
    where: { tenantId, paymentId },
    orderBy: { proposedAt: 'desc' },
    include: { payment: true },
  });
  return viewAll(db, rows, await readUnmade(db, tenantId));
}

async function viewAll(db: Db, rows: readonly Row[], unmade: readonly string[]) {
  const refunds = await db.refund.findMany({
    where: {
      OR: rows.map(({ tenantId, paymentId, refundsBefore, amountMinor }) => ({
        tenantId,
        paymentId,
        reference: referenceOf({ refundsBefore }),
        amountMinor,
      })),
    },
  });
  const [first] = rows;
  const proposerIds = rows.map(({ proposerId }) => proposerId);
  const proposers = first ? await whoMayPropose(db, first.tenantId, proposerIds) : new Set();
  return rows.map((row) => {
    const made = refunds.find(
      ({ paymentId, reference, amountMinor }) =>
        paymentId === row.paymentId && reference === referenceOf(row) && amountMinor === row.amountMinor,
    );
    return {
      id: row.id,
      paymentId: row.paymentId,
      reference: row.payment.reference,
      amount: money(row.amountMinor, row.payment.currency),
      paid: money(row.payment.amountMinor, row.payment.currency),
      reason: row.reason,
      proposer: { id: row.proposerId, email: row.proposerEmail },
      /** While it is open: the proposer was removed or demoted since. */
      proposerLeft: row.status === 'open' && !proposers.has(row.proposerId),
      proposedAt: row.proposedAt.toISOString(),
      status: row.status as 'open' | 'approved' | 'rejected' | 'void' | 'withdrawn' | 'closed',
      decidedBy: row.decidedByEmail,
      decidedAt: row.decidedAt?.toISOString() ?? null,
      note: row.note,
      closed: row.closedAt && {
        at: row.closedAt.toISOString(),
        by: row.closedByEmail,
        reason: row.closeReason,
      },
      /** For a decision, or for the refund that was approved: that one can be made by approving it again. */
      waits: row.status === 'open' || unmade.includes(row.id),
      /** What became of it. */
      refund: made ? { operationId: made.operationId, status: made.status } : null,
    };
  });
}
