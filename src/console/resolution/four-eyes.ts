import type { Prisma } from '#prisma';

/** Whether an override needs a second person. It does, unless the tenant has switched that off. */
export async function needsFourEyes(db: Prisma.TransactionClient, tenantId: string): Promise<boolean> {
  const settings = await db.tenantSettings.findUnique({ where: { tenantId }, select: { fourEyes: true } });
  return settings?.fourEyes ?? true;
}
