import type { PrismaClient } from '#prisma';
import { findEndpoint } from './endpoint.ts';
import { deliverWebhookTask, enqueue, sendEmailTask } from './jobs.ts';

/** False: there is no such failed e-mail. It starts over with all its attempts, under the same Message-ID. */
export function retryEmail(db: PrismaClient, tenantId: string, id: string): Promise<boolean> {
  return db.$transaction(async (tx) => {
    const { count } = await tx.email.updateMany({
      where: { id, tenantId, status: 'failed' },
      data: { status: 'queued', attempts: 0 },
    });
    if (count === 1) await enqueue(tx, sendEmailTask, { tenantId, id });
    return count === 1;
  });
}

/** It goes to the endpoint that is live now: a wrong address is the likeliest reason for it to have failed. */
export function retryDelivery(db: PrismaClient, tenantId: string, id: string): Promise<boolean> {
  return db.$transaction(async (tx) => {
    const endpoint = await findEndpoint(tx, tenantId);
    if (!endpoint) return false;
    const { count } = await tx.merchantWebhookDelivery.updateMany({
      where: { id, tenantId, status: 'failed' },
      data: { status: 'queued', attempts: 0, endpointId: endpoint.id },
    });
    if (count === 1) await enqueue(tx, deliverWebhookTask, { tenantId, id });
    return count === 1;
  });
}
