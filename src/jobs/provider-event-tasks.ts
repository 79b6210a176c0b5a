import type { TaskList } from 'graphile-worker';
import { z } from 'zod';
import { processProviderEvent, providerEventTask } from '#reconciliation/index.ts';
import type { Services } from '#server/services.ts';

const job = z.object({ id: z.uuid() });

/** What the worker does about the provider's webhooks. */
export function createProviderTasks(
  services: Pick<Services, 'db' | 'reconciler' | 'provider' | 'log'>,
): TaskList {
  return {
    async [providerEventTask](payload) {
      const { id } = job.parse(payload);
      try {
        await processProviderEvent(services, id);
      } catch (error) {
        // graphile-worker logs that a job failed, but not which operation it was about.
        const select = { eventId: true, operationId: true, tenantId: true };
        const event = await services.db.providerEvent.findUnique({ where: { id }, select }).catch(() => null);
        services.log.warn({ ...event, err: error }, 'webhook kept for later');
        throw error;
      }
    },
  };
}
