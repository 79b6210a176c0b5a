import type { TaskList } from 'graphile-worker';
import { z } from 'zod';
import type { EventFollower } from '#payments/index.ts';
import type { PrismaClient } from '#prisma';
import {
  processProviderEvent,
  providerEventTask,
  type Reconciler,
  verifyAssertion,
  verifyAssertionTask,
} from '#reconciliation/index.ts';
import type { Log } from './log.ts';

const job = z.object({ id: z.uuid() });
const operation = z.object({ tenantId: z.string(), id: z.uuid() });

export interface ProviderEventParts {
  readonly db: PrismaClient;
  readonly reconciler: Reconciler;
  readonly follower: EventFollower;
  readonly log: Log;
}

/** What the worker does about the provider's webhooks. */
export function createProviderEventTasks(parts: ProviderEventParts): TaskList {
  return {
    async [providerEventTask](payload) {
      const { id } = job.parse(payload);
      try {
        await processProviderEvent(parts, id);
      } catch (error) {
        // graphile-worker logs that a job failed, but not which operation it was about.
        const select = { eventId: true, operationId: true, tenantId: true };
        const event = await parts.db.providerEvent.findUnique({ where: { id }, select }).catch(() => null);
        parts.log.warn({ ...event, err: error }, 'webhook kept for later');
        throw error;
      }
    },
    async [verifyAssertionTask](payload) {
      const { tenantId, id } = operation.parse(payload);
      const result = await verifyAssertion(parts, { tenantId, id });
      parts.log.info({ tenantId, operationId: id, result }, 'assertion verified with the provider');
    },
  };
}
