import type { TaskList } from 'graphile-worker';
import { z } from 'zod';
import { processProviderEvent, providerEventTask } from '#reconciliation/index.ts';
import type { House } from './wiring.ts';

const job = z.object({ id: z.uuid() });

/** What the worker does about the provider's webhooks. */
export function createProviderTasks(house: Pick<House, 'db' | 'reconciler' | 'provider'>): TaskList {
  return {
    [providerEventTask]: (payload) => processProviderEvent(house, job.parse(payload).id),
  };
}
