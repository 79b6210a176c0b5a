import { type Currency, isCurrency, type Money } from '#payments/money.ts';
import type { Prisma, PrismaClient } from '#prisma';
import { type Actor, writeAuditEntry } from '../audit/write-audit-entry.ts';

/** Above its limit a refund takes a second person. A currency without one has no limit. */
export async function readRefundLimits(db: Prisma.TransactionClient, tenantId: string): Promise<Money[]> {
  const rows = await db.refundLimit.findMany({ where: { tenantId }, orderBy: { currency: 'asc' } });
  return rows.flatMap(({ currency, amountMinor }) =>
    isCurrency(currency) ? [{ currency, amountMinor: Number(amountMinor) }] : [],
  );
}

export async function isAboveLimit(
  db: Prisma.TransactionClient,
  tenantId: string,
  { amountMinor, currency }: Money,
): Promise<boolean> {
  const limit = await db.refundLimit.findUnique({ where: { tenantId_currency: { tenantId, currency } } });
  return limit !== null && amountMinor > Number(limit.amountMinor);
}

/** Whether refunds that take a second person now would no longer do so. */
export async function isWeakerLimit(
  db: Prisma.TransactionClient,
  tenantId: string,
  currency: Currency,
  amountMinor: number | null,
): Promise<boolean> {
  const limit = await db.refundLimit.findUnique({ where: { tenantId_currency: { tenantId, currency } } });
  return limit !== null && (amountMinor === null || amountMinor > Number(limit.amountMinor));
}

/** Null removes the limit. The audit entry has the old and the new amount. */
export function setRefundLimit(
  db: PrismaClient,
  actor: Actor,
  currency: Currency,
  amountMinor: number | null,
): Promise<void> {
  const { tenantId } = actor;
  const where = { tenantId_currency: { tenantId, currency } };
  return db.$transaction(async (tx) => {
    // The lock serializes two owners, so that each entry's old amount is the previous entry's new one.
    await tx.$queryRaw`SELECT FROM organization WHERE id = ${tenantId} FOR NO KEY UPDATE`;
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
  });
}
