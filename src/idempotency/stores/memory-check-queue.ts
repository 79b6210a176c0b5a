import type { CheckQueue } from '../ports.ts';
import type { OperationRecord, OperationRef } from '../record.ts';

/** What the queue stores with each record. */
export interface CheckTimes {
  readonly leaseUntil: number | undefined;
  readonly nextCheckAt: number | undefined;
  readonly lastCheckedAt: number | undefined;
  readonly scheduledCheckAt: number | undefined;
  readonly escalated: boolean;
}

/** The check queue over the memory store's records. */
export function createMemoryCheckQueue<Stored extends Omit<OperationRecord, 'leaseExpired'> & CheckTimes>(
  records: Map<string, Stored>,
  view: (stored: Stored, now: number) => OperationRecord,
  clock: () => number,
): CheckQueue {
  const listUnknown = () => [...records.values()].filter((stored) => stored.status === 'unknown');

  function update(stored: Stored | undefined, change: Partial<CheckTimes & { checkCount: number }>): boolean {
    if (stored) records.set(stored.id, { ...stored, ...change });
    return stored !== undefined;
  }

  function findUnknown({ tenantId, id }: OperationRef, attempt?: number): Stored | undefined {
    const stored = records.get(id);
    if (stored?.tenantId !== tenantId || stored.status !== 'unknown') return undefined;
    return attempt === undefined || attempt === stored.attempt ? stored : undefined;
  }

  return {
    async *expiredLeases() {
      const now = clock();
      yield* [...records.values()]
        .filter(({ status, leaseUntil }) => status === 'in_progress' && (leaseUntil ?? now) <= now)
        .map((stored) => view(stored, now));
    },
    async take(limit, holdMs, pausedTenants = [], busyTenants = []) {
      const now = clock();
      const places = new Map<string, number>();
      for (const tenantId of busyTenants) places.set(tenantId, (places.get(tenantId) ?? 0) + 1);
      const due = listUnknown()
        .filter(({ tenantId }) => !pausedTenants.includes(tenantId))
        .filter(({ nextCheckAt }) => nextCheckAt !== undefined && nextCheckAt <= now)
        .toSorted((a, b) => (a.nextCheckAt ?? 0) - (b.nextCheckAt ?? 0))
        .map((stored) => {
          const place = places.get(stored.tenantId) ?? 0;
          places.set(stored.tenantId, place + 1);
          return { stored, place };
        })
        // The sort is stable, so that those with the same place stay in the order of their times.
        .toSorted((a, b) => a.place - b.place)
        .slice(0, limit);
      return due.map(({ stored }) => {
        const extra = (stored.scheduledCheckAt ?? now) > now;
        const checkCount = stored.checkCount + (extra ? 0 : 1);
        const taken = { ...stored, checkCount, nextCheckAt: now + holdMs, lastCheckedAt: now };
        records.set(stored.id, taken);
        return view(taken, now);
      });
    },
    async postpone(checked, inMs) {
      const now = clock();
      const stored = findUnknown(checked, checked.attempt);
      const ahead = stored?.scheduledCheckAt !== undefined && stored.scheduledCheckAt > now;
      const next = ahead ? stored.scheduledCheckAt : now + inMs;
      update(stored, { nextCheckAt: next, scheduledCheckAt: next });
    },
    async escalate(checked) {
      const stored = findUnknown(checked, checked.attempt);
      return !stored?.escalated && update(stored, { escalated: true, nextCheckAt: undefined });
    },
    async expedite(ref, restMs) {
      const now = clock();
      const stored = findUnknown(ref);
      if (!stored || (stored.nextCheckAt ?? now) <= now) return false;
      if (stored.lastCheckedAt === undefined || stored.lastCheckedAt > now - restMs) return false;
      return update(stored, { nextCheckAt: now });
    },
    async expediteAll(spreadMs, holdMs) {
      const now = clock();
      const later = listUnknown().filter(({ nextCheckAt }) => (nextCheckAt ?? now) > now + holdMs);
      for (const stored of later) update(stored, { nextCheckAt: now + Math.random() * spreadMs });
      return later.length;
    },
  };
}
