import { TRPCError } from '@trpc/server';
import { createRateLimitStorage } from '../rate-limit.ts';
import type { Services } from '../services.ts';

/** Of one person: an open page asks whenever something of its operation has changed, and a person has a few open. */
const perPerson = { window: 60, max: 120 };
/** Of a whole shop: a tenth of what the provider allows. */
const perTenant = { window: 60, max: 600 };

interface Asking {
  readonly services: Pick<Services, 'db'>;
  readonly member: { readonly tenantId: string; readonly userId: string };
}

/**
 * Counts a question to the provider that a person asks by opening a page or pressing a button. The provider's limit, a hundred reads
 * a second, is one for all tenants and their shoppers: a viewer of one shop must not use it up.
 */
export async function countQuestion({ services, member: { tenantId, userId } }: Asking): Promise<void> {
  await count(services, `ask person ${userId}`, perPerson);
  await countOneOfMany(services, tenantId);
}

/** One of many that a person asks about at once: a page of the list has more than a person may ask otherwise. */
export async function countOneOfMany(services: Asking['services'], tenantId: string): Promise<void> {
  await count(services, `ask tenant ${tenantId}`, perTenant);
}

async function count({ db }: Asking['services'], key: string, limit: typeof perTenant): Promise<void> {
  if ((await createRateLimitStorage(db).consume(key, limit)).allowed) return;
  const message =
    'The provider was asked too often in the last minute. Nothing was changed: try again in a minute.';
  throw new TRPCError({ code: 'TOO_MANY_REQUESTS', message });
}
