import type { TenantPolicy } from '#idempotency/index.ts';
import { createCachedReads, type Listener } from '#idempotency/stores/postgres.ts';
import type { Prisma } from '#prisma';

const hourMs = 3_600_000;
/** A trigger notifies it, with the tenant, when its settings change. */
const topic = 'tenant_settings:';
/** A changed setting takes effect as soon as the notification arrives, and within this time in any case. */
const cacheMs = 5_000;

/**
 * A tenant's settings as the engine uses them, cached for a few seconds. A failed read is not cached and has no fallback:
 * the engine then refuses the request, as it does when the store is unavailable.
 */
export function createTenantPolicy(
  parts: {
    readonly db: Prisma.TransactionClient;
    readonly listener: Pick<Listener, 'subscribe' | 'isConnected'>;
  },
  lease: { readonly minMs: number },
): (tenantId: string) => Promise<TenantPolicy> {
  const { db, listener } = parts;
  const find = createCachedReads<TenantPolicy>({
    ...{ listener, topic, cacheMs },
    read: (tenantId) => readPolicy(db, tenantId, lease.minMs),
  });
  return async (tenantId) => (await find(tenantId)) ?? {};
}

async function readPolicy(
  db: Prisma.TransactionClient,
  tenantId: string,
  minLeaseMs: number,
): Promise<TenantPolicy> {
  const own = await db.tenantSettings.findUnique({ where: { tenantId } });
  if (!own) return {};
  const hours = (name: 'replayMs' | 'bodyMs' | 'metadataMs', value: number | null) =>
    value === null ? {} : { [name]: value * hourMs };
  return {
    // A provider timeout that was raised after the tenant chose its lease must not let the lease expire during a call.
    ...(own.leaseMs !== null && { leaseMs: Math.max(own.leaseMs, minLeaseMs) }),
    retention: {
      ...hours('replayMs', own.replayHours),
      ...hours('bodyMs', own.bodyHours),
      ...hours('metadataMs', own.metadataHours),
    },
  };
}
