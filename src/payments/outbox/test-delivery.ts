import { randomUUID } from 'node:crypto';
import type { Prisma } from '#prisma';
import { deliverWebhookTask, enqueue } from './jobs.ts';
import type { TenantRow } from './tenant-row.ts';

/** The type of a message that is about no payment, sent when a person asks for it. Every endpoint gets it. */
export const testEventType = 'webhook.test';

/**
 * Queues a test for a live endpoint: the worker sends it once, as it sends everything else. While one is under way that one
 * is returned, so that a button pressed twice sends one. Undefined: there is no such endpoint, or it is disabled.
 */
export async function queueTest(
  tx: Prisma.TransactionClient,
  endpoint: TenantRow,
): Promise<{ readonly deliveryId: string; readonly isNew: boolean } | undefined> {
  const { tenantId } = endpoint;
  const id = randomUUID();
  const queued = await tx.$executeRaw`
    INSERT INTO merchant_webhook_delivery (tenant_id, id, endpoint_id, type, body)
    SELECT tenant_id, ${id}::uuid, id, ${testEventType}, ${bodyOf(id)}
    FROM merchant_webhook_endpoint
    WHERE tenant_id = ${tenantId} AND id = ${endpoint.id}::uuid AND removed_at IS NULL AND disabled_at IS NULL
    ON CONFLICT DO NOTHING`;
  if (queued === 1) {
    await enqueue(tx, deliverWebhookTask, { tenantId, id });
    return { deliveryId: id, isNew: true };
  }
  const underWay = await tx.merchantWebhookDelivery.findFirst({
    where: { tenantId, endpointId: endpoint.id, type: testEventType, status: 'queued' },
    select: { id: true },
  });
  return underWay ? { deliveryId: underWay.id, isNew: false } : undefined;
}

function bodyOf(id: string): string {
  return JSON.stringify({
    id,
    type: testEventType,
    timestamp: new Date().toISOString(),
    data: { message: 'This is a test. No money has moved.' },
  });
}
