import { sqlState } from '#idempotency/stores/prisma.ts';
import { money } from '#payments/money.ts';
import type { Prisma, PrismaClient } from '#prisma';
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

/** Open ones, oldest first, because operators wait for them; and decided ones, newest first. */
export async function listRefundProposals(db: Db, tenantId: string, limit = 100) {
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
    read({ status: 'open' }, { proposedAt: 'asc' }),
    read({ status: { not: 'open' } }, { decidedAt: 'desc' }),
  ]);
  const [openViews, decidedViews] = await Promise.all([viewAll(db, open), viewAll(db, decided)]);
  return { open: openViews, decided: decidedViews };
}

export async function refundProposalsOf(db: Db, tenantId: string, paymentId: string) {
  const rows = await db.refundProposal.findMany({
    where: { tenantId, paymentId },
    orderBy: { proposedAt: 'desc' },
    include: { payment: true },
  });
  return viewAll(db, rows);
}

async function viewAll(db: Db, rows: readonly Row[]) {
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
      status: row.status as 'open' | 'approved' | 'rejected' | 'void' | 'withdrawn',
      decidedBy: row.decidedByEmail,
      decidedAt: row.decidedAt?.toISOString() ?? null,
      note: row.note,
      /** What became of it. An approved one without a refund, or whose refund was released, can be made again. */
      refund: made ? { operationId: made.operationId, status: made.status } : null,
    };
  });
}
