import type { OperationRef } from '#idempotency/index.ts';
import { moneyOfOperation } from '#payments/index.ts';
import { money } from '#payments/money.ts';
import { Prisma } from '#prisma';
import { whoMayPropose } from '../members/membership.ts';

type Db = Prisma.TransactionClient;
type Row = Prisma.ResolutionProposalGetPayload<object>;

/** Open proposals, oldest first, because operators wait for them; and decided ones, newest first. */
export async function listProposals(db: Db, tenantId: string, limit = 100) {
  const [open, decided] = await Promise.all([
    db.resolutionProposal.findMany({
      where: { tenantId, status: 'open' },
      orderBy: [{ proposedAt: 'asc' }, { id: 'asc' }],
      take: limit,
    }),
    db.resolutionProposal.findMany({
      where: { tenantId, status: { not: 'open' } },
      orderBy: [{ decidedAt: 'desc' }, { id: 'desc' }],
      take: limit,
    }),
  ]);
  const amounts = await amountsOf(
    db,
    tenantId,
    [...open, ...decided].map(({ operationId }) => operationId),
  );
  const proposers = await proposersOf(db, tenantId, open);
  const view = (row: Row) => ({
    ...proposalView(row, proposers),
    about: amounts.get(row.operationId) ?? null,
  });
  return { open: open.map(view), decided: decided.map(view) };
}

export async function proposalsAbout(db: Db, { tenantId, id: operationId }: OperationRef) {
  const rows = await db.resolutionProposal.findMany({
    where: { tenantId, operationId },
    orderBy: { proposedAt: 'desc' },
  });
  const proposers = await proposersOf(db, tenantId, rows);
  return rows.map((row) => proposalView(row, proposers));
}

function proposersOf(db: Db, tenantId: string, rows: readonly Row[]) {
  return whoMayPropose(
    db,
    tenantId,
    rows.map(({ proposerId }) => proposerId),
  );
}

function proposalView(row: Row, proposers: ReadonlySet<string>) {
  return {
    id: row.id,
    operationId: row.operationId,
    assertion: row.assertion,
    reason: row.reason,
    evidence: row.evidence,
    proposer: { id: row.proposerId, email: row.proposerEmail },
    /** While it is open. The proposer may have been removed or demoted since; then another person has to be asked about it. */
    proposerLeft: row.status === 'open' && !proposers.has(row.proposerId),
    proposedAt: row.proposedAt.toISOString(),
    status: row.status as 'open' | 'approved' | 'rejected' | 'void' | 'withdrawn',
    decidedBy: row.decidedByEmail,
    decidedAt: row.decidedAt?.toISOString() ?? null,
    note: row.note,
    decisionEvidence: row.decisionEvidence,
  };
}

interface AmountRow {
  readonly id: string;
  readonly reference: string;
  readonly amount_minor: bigint;
  readonly currency: string;
}

async function amountsOf(db: Db, tenantId: string, operationIds: readonly string[]) {
  const rows = await db.$queryRaw<AmountRow[]>`
    SELECT wanted.id, m.reference, m.amount_minor, m.currency
    FROM unnest(${operationIds}::uuid[]) AS wanted (id)
    CROSS JOIN LATERAL (${moneyOfOperation(Prisma.sql`${tenantId}`, Prisma.sql`wanted.id`)}) AS m`;
  return new Map(
    rows.map((row) => [row.id, { reference: row.reference, amount: money(row.amount_minor, row.currency) }]),
  );
}
