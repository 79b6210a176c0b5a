import type { Prisma } from '#prisma';

/** Whether an override needs a second person. It does, unless the tenant has switched that off. */
export async function needsFourEyes(db: Prisma.TransactionClient, tenantId: string): Promise<boolean> {
  const settings = await db.tenantSettings.findUnique({ where: { tenantId }, select: { fourEyes: true } });
  return settings?.fourEyes ?? true;
}

/** In the transaction of an override by one person: the setting stays as it is until the commit. */
export async function holdFourEyes(tx: Prisma.TransactionClient, tenantId: string): Promise<boolean> {
  await tx.$queryRaw`SELECT FROM tenant_settings WHERE tenant_id = ${tenantId} FOR SHARE`;
  return needsFourEyes(tx, tenantId);
}
