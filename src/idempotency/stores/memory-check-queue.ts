import type { DueQueue } from '../ports.ts';
import type { OperationRecord } from '../record.ts';

/** What the queue has to know of a record besides the record. */
export interface Due {
  readonly leaseUntil: number | undefined;
  readonly reconcileAfter: number | undefined;
  readonly lookedAt: number | undefined;
  readonly scheduledFor: number | undefined;
  readonly escalated: boolean;
}

/** The due queue over the memory store's records. */
export function createMemoryDueQueue<Stored extends Omit<OperationRecord, 'leaseExpired'> & Due>(
  records: Map<string, Stored>,
  view: (stored: Stored, now: number) => OperationRecord,
  clock: () => number,
): DueQueue {
  const unknowns = () => [...records.values()].filter((stored) => stored.status === 'unknown');

  function change(stored: Stored | undefined, over: Partial<Due & { reconcileAttempts: number }>): boolean {
    if (stored) records.set(stored.id, { ...stored, ...over });
    return stored !== undefined;
  }

  function findUnknown(id: string, attempt?: number): Stored | undefined {
    const stored = records.get(id);
    if (stored?.status !== 'unknown') return undefined;
    return attempt === undefined || attempt === stored.attempt ? stored : undefined;
  }

  return {
    async expiredLeases(limit) {
      const now = clock();
      return [...records.values()]
        .filter(({ status, leaseUntil }) => status === 'in_progress' && (leaseUntil ?? now) <= now)
        .toSorted((a, b) => (a.leaseUntil ?? 0) - (b.leaseUntil ?? 0))
        .slice(0, limit)
        .map((stored) => view(stored, now));
    },
    async take(limit, holdMs) {
      const now = clock();
      const due = unknowns()
        .filter(({ reconcileAfter }) => reconcileAfter !== undefined && reconcileAfter <= now)
        .toSorted((a, b) => (a.reconcileAfter ?? 0) - (b.reconcileAfter ?? 0))
        .slice(0, limit);
      return due.map((stored) => {
        const extra = (stored.scheduledFor ?? now) > now;
        const reconcileAttempts = stored.reconcileAttempts + (extra ? 0 : 1);
        const taken = { ...stored, reconcileAttempts, reconcileAfter: now + holdMs, lookedAt: now };
        records.set(stored.id, taken);
        return view(taken, now);
      });
    },
    async postpone({ id, attempt }, inMs) {
      const now = clock();
      const stored = findUnknown(id, attempt);
      const ahead = stored?.scheduledFor !== undefined && stored.scheduledFor > now;
      const next = ahead ? stored.scheduledFor : now + inMs;
      change(stored, { reconcileAfter: next, scheduledFor: next });
    },
    async escalate({ id, attempt }) {
      const stored = findUnknown(id, attempt);
      return !stored?.escalated && change(stored, { escalated: true, reconcileAfter: undefined });
    },
    async hasten(id, restMs) {
      const now = clock();
      const stored = findUnknown(id);
      if (!stored || (stored.reconcileAfter ?? now) <= now) return false;
      if (stored.lookedAt === undefined || stored.lookedAt > now - restMs) return false;
      return change(stored, { reconcileAfter: now });
    },
    async hurry(spreadMs, holdMs) {
      const now = clock();
      const later = unknowns().filter(({ reconcileAfter }) => (reconcileAfter ?? now) > now + holdMs);
      for (const stored of later) change(stored, { reconcileAfter: now + Math.random() * spreadMs });
      return later.length;
    },
  };
}
