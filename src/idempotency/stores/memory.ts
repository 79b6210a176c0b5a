import { operationIdOf } from '../operation-id.ts';
import {
  type ChangeSignal,
  type CheckQueue,
  type IdempotencyStore,
  maxMisuseKinds,
  type RecordedMisuse,
} from '../ports.ts';
import { firstRecoveryPoint, isTransitionAllowed, type OperationRef, type Scope } from '../record.ts';
import type { RowWrite } from '../row-statement.ts';
import { createWatches } from './change-watches.ts';
import { createMemoryCheckQueue } from './memory-check-queue.ts';
import { apply, isDue, matches, type Stored, view } from './memory-record.ts';

/**
 * The store in the memory of one process, for tests and for trying the engine out. It passes the same contract suite as
 * PostgreSQL, but nothing survives a restart, so it protects no real operation. Every method reads and writes without an
 * await in between, and is therefore atomic.
 */
export function createMemoryStore(clock: () => number = Date.now): MemoryStore {
  const records = new Map<string, Stored>();
  const writtenRows: WrittenRow[] = [];
  const windows = new Map<string, { key: string; endsAt: number }>();
  const misuses = new Map<string, Map<string, RecordedMisuse>>();
  const watches = createWatches();

  return {
    ...createMemoryCheckQueue(records, view, clock),
    writtenRows,
    async claim(claim) {
      const now = clock();
      const existing = storedAt(claim);
      if (existing) return { granted: false, record: view(existing, now) };
      const stored: Stored = {
        id: claim.id,
        tenantId: claim.tenantId,
        operation: claim.operation,
        key: claim.key,
        fingerprint: claim.fingerprint,
        fingerprintVersion: claim.fingerprintVersion,
        fieldDigests: claim.fieldDigests,
        principal: claim.principal,
        status: 'in_progress',
        attempt: 1,
        leaseUntil: now + claim.leaseMs,
        retentionTimes: undefined,
        recoveryPoint: firstRecoveryPoint,
        effectSent: claim.effectSent,
        response: undefined,
        resource: undefined,
        lastErrorCode: undefined,
        checkCount: 0,
        nextCheckAt: undefined,
        lastCheckedAt: undefined,
        scheduledCheckAt: undefined,
        escalated: false,
        createdAt: new Date(now),
        updatedAt: new Date(now),
        completedAt: undefined,
      };
      records.set(stored.id, stored);
      if (claim.rows) writtenRows.push({ record: claim, write: claim.rows });
      return { granted: true, record: view(stored, now), rowResult: claim.rows?.row };
    },
    async findById(ref) {
      const stored = storedAt(ref);
      return stored && view(stored, clock());
    },
    async transition(transition, writes) {
      const now = clock();
      const before = storedAt(transition.record);
      if (!before || !matches(before, transition, now)) return false;
      if (before.status !== transition.to && !isTransitionAllowed(before.status, transition.to)) {
        throw new Error(`A record cannot go from ${before.status} to ${transition.to}.`);
      }
      const after = apply(transition, before, now);
      records.set(after.id, after);
      try {
        if (typeof writes === 'function') await writes(memoryTx);
        else if (writes) writtenRows.push({ record: transition.record, write: writes });
      } catch (error) {
        records.set(before.id, before);
        throw error;
      }
      return true;
    },
    async writeRows(_tx, record, write) {
      writtenRows.push({ record, write });
    },
    async bodyKey({ tenantId, operation, fingerprint, windowMs }) {
      const now = clock();
      const scope = scopeKey({ tenantId, operation, key: fingerprint });
      const current = windows.get(scope);
      if (current && (current.endsAt > now || isUnresolved({ tenantId, operation, key: current.key }))) {
        return current.key;
      }
      const key = `body-${fingerprint}-${now}`;
      windows.set(scope, { key, endsAt: now + windowMs });
      return key;
    },
    async recordMisuse(ref, { kind, fields }) {
      if (!storedAt(ref)) return;
      const recordId = ref.id.toLowerCase();
      const recorded = misuses.get(recordId) ?? new Map<string, RecordedMisuse>();
      const ownName = JSON.stringify([kind, fields]);
      const listed = recorded.has(ownName) || recorded.size < maxMisuseKinds;
      const name = listed ? ownName : JSON.stringify([kind, []]);
      const [now, before] = [new Date(clock()), recorded.get(name)];
      recorded.set(name, {
        kind,
        fields: listed ? fields : [],
        times: (before?.times ?? 0) + 1,
        firstAt: before?.firstAt ?? now,
        lastAt: now,
      });
      misuses.set(recordId, recorded);
    },
    async listMisuses(ref) {
      const recorded = storedAt(ref) ? [...(misuses.get(ref.id.toLowerCase())?.values() ?? [])] : [];
      return recorded.sort((a, b) => b.lastAt.getTime() - a.lastAt.getTime());
    },
    async reap(step, limit) {
      const now = clock();
      const due = [...records.values()].filter((stored) => isDue(stored, step, now)).slice(0, limit);
      for (const stored of due) {
        if (step === 'delete') {
          records.delete(stored.id);
          misuses.delete(stored.id);
        } else {
          const change = step === 'expire' ? { status: 'expired' as const } : { response: undefined };
          records.set(stored.id, { ...stored, ...change });
        }
      }
      return due.length;
    },
    watch: (topic) => Promise.resolve(watches.watch(topic)),
    watchNow: watches.watch,
    notify: (topics) => topics.forEach(watches.wake),
  };

  function storedAt({ tenantId, id }: OperationRef): Stored | undefined {
    const stored = records.get(id.toLowerCase());
    return stored?.tenantId === tenantId ? stored : undefined;
  }

  function isUnresolved(scope: Scope): boolean {
    const stored = records.get(operationIdOf(scope));
    return stored?.status === 'in_progress' || stored?.status === 'unknown';
  }
}

/** Domain rows as they were given: memory has no tables to write them to. */
export interface WrittenRow {
  readonly record: OperationRef;
  readonly write: RowWrite;
}

export type MemoryStore = IdempotencyStore<MemoryTx> &
  ChangeSignal &
  CheckQueue & { readonly writtenRows: readonly WrittenRow[] };

/** Memory has no transactions, so this handle offers nothing to write with. */
export type MemoryTx = { readonly memory: true };
const memoryTx: MemoryTx = { memory: true };

function scopeKey({ tenantId, operation, key }: Scope): string {
  return JSON.stringify([tenantId, operation, key]);
}
