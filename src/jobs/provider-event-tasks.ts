import type { TaskList } from 'graphile-worker';
import { z } from 'zod';
import { processProviderEvent, providerEventTask } from '#reconciliation/index.ts';
import type { House } from '#server/services.ts';

const job = z.object({ id: z.uuid() });

/** What the worker does about the provider's webhooks. */
export function createProviderTasks(house: Pick<House, 'db' | 'reconciler' | 'provider' | 'log'>): TaskList {
  return {
    async [providerEventTask](payload) {
      const { id } = job.parse(payload);
      try {
        await processProviderEvent(house, id);
      } catch (error) {
        // graphile-worker will say that a job failed, and not whose it was.
        const select = { eventId: true, operationId: true, tenantId: true };
        const event = await house.db.providerEvent.findUnique({ where: { id }, select }).catch(() => null);
        house.log.warn({ ...event, err: error }, 'webhook kept for later');
        throw error;
      }
    },
  };
}
