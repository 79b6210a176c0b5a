import type { Prisma } from '#prisma';

/** Whether overriding the evidence takes a second person. It does, unless the tenant has decided otherwise. */
export async function needsFourEyes(db: Prisma.TransactionClient, tenantId: string): Promise<boolean> {
  const settings = await db.tenantSettings.findUnique({ where: { tenantId }, select: { fourEyes: true } });
  return settings?.fourEyes ?? true;
}
