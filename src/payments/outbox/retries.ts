import type { Prisma } from '#prisma';
import { deliverWebhookTask, enqueue, sendEmailTask } from './jobs.ts';
import { testEventType } from './test-delivery.ts';

/** The caller's transaction: the status and the job are committed together. */
type Tx = Prisma.TransactionClient;

/** False: there is no such failed e-mail. It starts over with all its attempts, under the same Message-ID. */
export async function retryEmail(tx: Tx, tenantId: string, id: string): Promise<boolean> {
  const { count } = await tx.email.updateMany({
    where: { id, tenantId, status: 'failed' },
    data: { status: 'queued', attempts: 0 },
  });
  if (count === 1) await enqueue(tx, sendEmailTask, { tenantId, id });
  return count === 1;
}

/**
 * One that was given up or cancelled starts over, with the same id, at the address that its endpoint has now. False: there
 * is none, or its endpoint is disabled or removed. A test is not repeated but made again.
 */
export async function retryDelivery(tx: Tx, tenantId: string, id: string): Promise<boolean> {
  const { count } = await tx.merchantWebhookDelivery.updateMany({
    where: {
      ...{ id, tenantId, status: { in: ['failed', 'cancelled'] }, type: { not: testEventType } },
      endpoint: { disabledAt: null, removedAt: null },
    },
    data: { status: 'queued', attempts: 0 },
  });
  if (count === 1) await enqueue(tx, deliverWebhookTask, { tenantId, id });
  return count === 1;
}
