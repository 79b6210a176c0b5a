import { defineProblems } from '#idempotency/index.ts';
import { consolePrefix } from '#payments/index.ts';
import { type Currency, isCurrency, type Money } from '#payments/money.ts';
import type { Prisma, PrismaClient, Refund } from '#prisma';
import { type Actor, writeAuditEntry } from '../audit/write-audit-entry.ts';
import { type RefundRequest, referenceOf, refundsBeforeOf } from './refund-request.ts';

/** Above its limit a refund takes a second person. A currency without one has no limit. */
export async function readRefundLimits(db: Prisma.TransactionClient, tenantId: string): Promise<Money[]> {
  const rows = await db.refundLimit.findMany({ where: { tenantId }, orderBy: { currency: 'asc' } });
  return rows.flatMap(({ currency, amountMinor }) =>
    isCurrency(currency) ? [{ currency, amountMinor: Number(amountMinor) }] : [],
  );
}

/**
 * Whether the refund, together with all others of the payment that no second person approved, is above the limit: a large
 * refund cannot be made by one person in small parts.
 */
export async function isAboveLimit(
  db: Prisma.TransactionClient,
  tenantId: string,
  currency: Currency,
  request: Pick<RefundRequest, 'paymentId' | 'refundsBefore' | 'amountMinor'>,
): Promise<boolean> {
  const limit = await db.refundLimit.findUnique({ where: { tenantId_currency: { tenantId, currency } } });
  if (!limit) return false;
  const others = await refundedAlone(db, tenantId, request.paymentId, request);
  return others + request.amountMinor > Number(limit.amountMinor);
}

/** What operators have refunded of the payment without a second person, apart from `except`. */
export async function refundedAlone(
  db: Prisma.TransactionClient,
  tenantId: string,
  paymentId: string,
  except?: Pick<RefundRequest, 'refundsBefore' | 'amountMinor'>,
): Promise<number> {
  const [row] = await db.$queryRaw<{ total: bigint }[]>`
    SELECT coalesce(sum(r.amount_minor), 0)::bigint AS total FROM refund r
    WHERE r.tenant_id = ${tenantId} AND r.payment_id = ${paymentId}::uuid
      AND r.status IN ('pending', 'succeeded') AND starts_with(r.reference, ${consolePrefix})
      AND (r.reference, r.amount_minor) IS DISTINCT FROM
        (${except ? referenceOf(except) : null}::text, ${except?.amountMinor ?? null}::bigint)
      AND NOT EXISTS (
        SELECT FROM refund_proposal p
        WHERE p.tenant_id = r.tenant_id AND p.payment_id = r.payment_id AND p.status = 'approved'
          AND p.amount_minor = r.amount_minor AND r.reference = ${consolePrefix} || (p.refunds_before::bigint + 1))`;
  return Number(row?.total ?? 0);
}

/** Whether an operator asked for the refund and no second person approved it. */
export async function isMadeAlone(
  db: Prisma.TransactionClient,
  refund: Pick<Refund, 'tenantId' | 'paymentId' | 'reference' | 'amountMinor'>,
): Promise<boolean> {
  const { tenantId, paymentId, reference, amountMinor } = refund;
  const refundsBefore = refundsBeforeOf(reference);
  if (refundsBefore === undefined) return false;
  const approved = { tenantId, paymentId, status: 'approved', amountMinor, refundsBefore };
  return (await db.refundProposal.count({ where: approved })) === 0;
}

export const refundLimitProblems = defineProblems({
  refund_takes_second_person: {
    http: 409,
    trpc: 'CONFLICT',
    title: 'The refund takes a second person',
    explanation:
      'Together with the other refunds of the payment it is above the limit of one person. Nothing was paid back.',
    action: 'Another person with the approver role has to approve it.',
    newKey: 'safe',
  },
});

/** Null removes the limit. */
export interface LimitChange {
  readonly currency: Currency;
  readonly amountMinor: number | null;
  /** The limit that the owner saw. Undefined: not compared. */
  readonly seen?: number | null | undefined;
}

/** Another owner has changed a limit since the page was opened. None is changed. */
export class LimitsOutdated extends Error {}

/** Whether refunds that take a second person now would no longer do so. */
function isWeaker(present: readonly Money[], changes: readonly LimitChange[]): boolean {
  return changes.some(({ currency, amountMinor }) => {
    const limit = present.find((one) => one.currency === currency);
    return limit !== undefined && (amountMinor === null || amountMinor > limit.amountMinor);
  });
}

/**
 * All of them or none. The audit entry of each has the old and the new amount. `onWeaker` may throw: it is called while the limits
 * are locked, so that those it is about are the ones that are changed.
 */
export function setRefundLimits(
  db: PrismaClient,
  actor: Actor,
  changes: readonly LimitChange[],
  onWeaker: () => void = () => undefined,
): Promise<void> {
  return db.$transaction(async (tx) => {
    // The lock serializes two owners, so that each entry's old amount is the previous entry's new one.
    await tx.$queryRaw`SELECT FROM organization WHERE id = ${actor.tenantId} FOR NO KEY UPDATE`;
    const present = await readRefundLimits(tx, actor.tenantId);
    const limitOf = (currency: Currency) =>
      present.find((one) => one.currency === currency)?.amountMinor ?? null;
    if (changes.some(({ currency, seen }) => seen !== undefined && seen !== limitOf(currency)))
      throw new LimitsOutdated();
    if (isWeaker(present, changes)) onWeaker();
    for (const change of changes) await setLimit(tx, actor, change);
  });
}

async function setLimit(tx: Prisma.TransactionClient, actor: Actor, change: LimitChange): Promise<void> {
  const { tenantId } = actor;
  const { currency, amountMinor } = change;
  const where = { tenantId_currency: { tenantId, currency } };
  const before = await tx.refundLimit.findUnique({ where });
  const from = before ? Number(before.amountMinor) : null;
  if (from === amountMinor) return;
  if (amountMinor === null) await tx.refundLimit.delete({ where });
  else {
    const values = { amountMinor, updatedBy: actor.email };
    await tx.refundLimit.upsert({ where, create: { tenantId, currency, ...values }, update: values });
  }
  await writeAuditEntry(tx, actor, {
    action: 'refund_limit.set',
    subject: { type: 'tenant', id: tenantId },
    details: { currency, from, to: amountMinor },
  });
}
