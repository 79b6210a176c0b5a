import type { TenantPolicy } from '#idempotency/index.ts';
import type { Prisma } from '#prisma';

const hourMs = 3_600_000;
/** A changed setting is felt within this time; being late is all that a wrong memory can do. */
const rememberMs = 5_000;

/**
 * The engine's view of a tenant's settings, one read in a few seconds for each tenant. What cannot be read is not
 * remembered and not guessed: the engine then refuses, as it does when the records themselves cannot be read.
 */
export function createTenantPolicy(
  db: Prisma.TransactionClient,
  lease: { readonly leastMs: number },
  now: () => number = () => performance.now(),
): (tenantId: string) => Promise<TenantPolicy> {
  const remembered = new Map<string, { until: number; policy: Promise<TenantPolicy> }>();
  return (tenantId) => {
    const known = remembered.get(tenantId);
    if (known && now() < known.until) return known.policy;
    const policy = readPolicy(db, tenantId, lease.leastMs);
    const entry = { until: now() + rememberMs, policy };
    remembered.set(tenantId, entry);
    policy.catch(() => {
      if (remembered.get(tenantId) === entry) remembered.delete(tenantId);
    });
    return policy;
  };
}

async function readPolicy(
  db: Prisma.TransactionClient,
  tenantId: string,
  leastLeaseMs: number,
): Promise<TenantPolicy> {
  const own = await db.tenantSettings.findUnique({ where: { tenantId } });
  if (!own) return {};
  const hours = (name: 'replayMs' | 'bodyMs' | 'metadataMs', value: number | null) =>
    value === null ? {} : { [name]: value * hourMs };
  return {
    // A provider timeout that was raised after the tenant chose its lease must not let the lease expire during a call.
    ...(own.leaseMs !== null && { leaseMs: Math.max(own.leaseMs, leastLeaseMs) }),
    retention: {
      ...hours('replayMs', own.replayHours),
      ...hours('bodyMs', own.bodyHours),
      ...hours('metadataMs', own.metadataHours),
    },
  };
}
