import { TRPCError } from '@trpc/server';
import { createRateLimitStorage } from '../rate-limit.ts';
import type { Services } from '../services.ts';

/** Of one person: an open page asks whenever something of its operation has changed, and a person has a few open. */
const perPerson = { window: 60, max: 120 };
/** Of a whole shop: a tenth of what the provider allows. */
const perTenant = { window: 60, max: 600 };

/**
 * Counts a question to the provider that a person asks by opening a page or pressing a button. The provider's limit, a hundred reads
 * a second, is one for all tenants and their shoppers: a viewer of one shop must not use it up.
 */
export async function countQuestion({
  services: { db },
  member: { tenantId, userId },
}: {
  readonly services: Pick<Services, 'db'>;
  readonly member: { readonly tenantId: string; readonly userId: string };
}): Promise<void> {
  const limits = createRateLimitStorage(db);
  for (const [key, limit] of [
    [`ask person ${userId}`, perPerson],
    [`ask tenant ${tenantId}`, perTenant],
  ] as const) {
    if ((await limits.consume(key, limit)).allowed) continue;
    const message =
      'The provider was asked too often in the last minute. Nothing was changed: try again in a minute.';
    throw new TRPCError({ code: 'TOO_MANY_REQUESTS', message });
  }
}
