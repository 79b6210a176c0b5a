/**
 * How many deliveries of one tenant a worker makes at once. A tenant's server decides how long a delivery takes, up to ten
 * seconds, and the worker's eight slots are for the e-mails and deliveries of all tenants. Without a limit one tenant whose server
 * answers late, by accident or on purpose, would occupy them all.
 *
 * - not known: its first deliveries occupy half of the slots, until one of them shows how fast its server is.
 * - fast: no limit. None of its deliveries occupies a slot for long.
 * - slow: two at a time. So is a tenant with a delivery under way that is late.
 *
 * A tenant is slow, or fast, for a minute after the delivery that showed it; slow outlasts fast. The slots are those of a
 * process, so each process counts by itself.
 */
export interface DeliverySlots {
  /** The others of the tenant wait: until its first ones have ended, or, if it is slow, for longer. */
  enter(tenantId: string): Entered;
  /** How long the tenant's server took. */
  took(tenantId: string, durationMs: number): void;
  /** A delivery of the tenant waited in vain for a row of the database: it is slow. */
  waited(tenantId: string): void;
}

export type Entered =
  | { readonly kind: 'go'; leave(): void }
  | { readonly kind: 'full'; readonly because: 'not_known' | 'slow' };

const limits = { not_known: 4, slow: 2, fast: Number.POSITIVE_INFINITY } as const;
/** Many times what a server takes that stores a message and responds. */
const slowMs = 1_000;
const rememberMs = 60_000;

interface Tenant {
  /** When each delivery under way began. */
  readonly begun: Set<{ readonly at: number }>;
  slowUntil: number;
  fastUntil: number;
}

export function createDeliverySlots(now: () => number = () => performance.now()): DeliverySlots {
  const tenants = new Map<string, Tenant>();

  function find(tenantId: string): Tenant {
    const found = tenants.get(tenantId) ?? { begun: new Set(), slowUntil: 0, fastUntil: 0 };
    tenants.set(tenantId, found);
    return found;
  }

  function paceOf({ begun, slowUntil, fastUntil }: Tenant): keyof typeof limits {
    const isLate = [...begun].some(({ at }) => now() - at > slowMs);
    if (isLate || now() < slowUntil) return 'slow';
    return now() < fastUntil ? 'fast' : 'not_known';
  }

  return {
    enter(tenantId) {
      const tenant = find(tenantId);
      const pace = paceOf(tenant);
      if (pace !== 'fast' && tenant.begun.size >= limits[pace]) return { kind: 'full', because: pace };
      const delivery = { at: now() };
      tenant.begun.add(delivery);
      return { kind: 'go', leave: () => tenant.begun.delete(delivery) };
    },
    took(tenantId, durationMs) {
      const tenant = find(tenantId);
      if (durationMs > slowMs) tenant.slowUntil = now() + rememberMs;
      else tenant.fastUntil = now() + rememberMs;
    },
    waited(tenantId) {
      find(tenantId).slowUntil = now() + rememberMs;
    },
  };
}
