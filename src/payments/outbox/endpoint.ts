import { randomBytes } from 'node:crypto';
import type { Prisma, PrismaClient } from '#prisma';
import { type AddressRule, isAllowedUrl } from './address-rule.ts';

export async function findEndpoint(db: Prisma.TransactionClient, tenantId: string) {
  return db.merchantWebhookEndpoint.findFirst({
    where: { tenantId, disabledAt: null },
    select: { id: true, url: true, createdAt: true },
  });
}

export type SetEndpointResult =
  | { readonly kind: 'set'; readonly id: string; readonly url: string; readonly secret: string }
  | { readonly kind: 'url_refused' };

/** Replaces the live endpoint; queued deliveries go to the new one. The secret is returned here only. */
export async function setWebhookEndpoint(
  db: PrismaClient,
  tenantId: string,
  url: string,
  rule: AddressRule,
): Promise<SetEndpointResult> {
  if (!isAllowedUrl(url, rule)) return { kind: 'url_refused' };
  const secret = `whsec_${randomBytes(32).toString('base64url')}`;
  return db.$transaction(async (tx) => {
    // Two at once would both find nothing to replace; the lock on the tenant's row serializes them.
    await tx.$queryRaw`SELECT id FROM organization WHERE id = ${tenantId} FOR UPDATE`;
    const old = await findEndpoint(tx, tenantId);
    if (old) {
      await tx.$executeRaw`
        UPDATE merchant_webhook_endpoint SET disabled_at = clock_timestamp()
        WHERE tenant_id = ${tenantId} AND id = ${old.id}::uuid`;
    }
    const { id } = await tx.merchantWebhookEndpoint.create({ data: { tenantId, url, secret } });
    if (old) {
      await tx.merchantWebhookDelivery.updateMany({
        where: { tenantId, endpointId: old.id, status: 'queued' },
        data: { endpointId: id },
      });
    }
    return { kind: 'set', id, url, secret };
  });
}
