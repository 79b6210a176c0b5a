import type { Prisma } from '#prisma';
import type { EmailStatus } from './listing.ts';

/** Where a receipt was sent, and how far that has come. Undefined: none was asked for, or it is not written yet. */
export async function findReceiptDelivery(
  db: Prisma.TransactionClient,
  { tenantId, id }: { readonly tenantId: string; readonly id: string },
): Promise<{ readonly to: string; readonly status: EmailStatus } | undefined> {
  const email = await db.email.findUnique({
    where: { tenantId_dedupeKey: { tenantId, dedupeKey: `receipt:${id}` } },
    select: { toAddress: true, status: true },
  });
  return email ? { to: email.toAddress, status: email.status as EmailStatus } : undefined;
}
