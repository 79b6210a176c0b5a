import type { Prisma, PrismaClient } from '#prisma';
import { type Actor, writeAuditEntry } from '../audit/write-audit-entry.ts';

/** Where shoppers ask about a payment; null while the shop has named none. */
export async function readShopContact(
  db: Pick<Prisma.TransactionClient, 'organization'>,
  tenantId: string,
): Promise<string | null> {
  const { contactEmail } = await db.organization.findUniqueOrThrow({
    where: { id: tenantId },
    select: { contactEmail: true },
  });
  return contactEmail;
}

export async function changeShopContact(db: PrismaClient, actor: Actor, email: string | null): Promise<void> {
  const { tenantId } = actor;
  await db.$transaction(async (tx) => {
    // The lock serializes two owners, so that each entry's old value is the previous entry's new one.
    await tx.$queryRaw`SELECT FROM organization WHERE id = ${tenantId} FOR NO KEY UPDATE`;
    const from = await readShopContact(tx, tenantId);
    if (from === email) return;
    await tx.organization.update({ where: { id: tenantId }, data: { contactEmail: email } });
    await writeAuditEntry(tx, actor, {
      action: 'settings.contact',
      subject: { type: 'tenant', id: tenantId },
      details: { contactEmail: { from, to: email } },
    });
  });
}
