import { randomUUID } from 'node:crypto';
import { createWatches } from '../change-watches.ts';
import {
  type ChangeSignal,
  type ChangeWatch,
  type CheckQueue,
  type IdempotencyStore,
  type Move,
  maxMisuseKinds,
  type NotedMisuse,
  operationTopic,
  type Reaping,
} from '../ports.ts';
import {
  canMove,
  firstRecoveryPoint,
  type OperationRecord,
  type OperationRef,
  type Scope,
} from '../record.ts';
import { type CheckTimes, createMemoryCheckQueue } from './memory-check-queue.ts';

/**
 * The same store in the memory of one process, for tests and for learning the model; it passes the same contract suite.
 * Nothing survives a restart, so it protects no real operation. Every method reads and writes without an await in
 * between, which makes it atomic in JavaScript.
 */
export function createMemoryStore(
  clock: () => number = Date.now,
): IdempotencyStore<MemoryTx> & ChangeSignal & CheckQueue {
  const records = new Map<string, Stored>();
  const idByScope = new Map<string, string>();
  const windows = new Map<string, { key: string; endsAt: number }>();
  const misuses = new Map<string, Map<string, NotedMisuse>>();
  const watches = createWatches();

  return {
    ...createMemoryCheckQueue(records, view, clock),
    async insert(claim) {
      const scope = scopeKey(claim);
      if (idByScope.has(scope)) return undefined;
      const now = clock();
      const stored: Stored = {
        id: randomUUID(),
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
        ageing: undefined,
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
      idByScope.set(scope, stored.id);
      return view(stored, now);
    },
    async find(scope) {
      const stored = records.get(idByScope.get(scopeKey(scope)) ?? '');
      return stored && view(stored, clock());
    },
    async findById(ref) {
      const stored = storedAt(ref);
      return stored && view(stored, clock());
    },
    async move(move, writes) {
      const now = clock();
      const before = storedAt(move.record);
      if (!before || !matches(before, move, now)) return undefined;
      if (before.status !== move.to && !canMove(before.status, move.to)) {
        throw new Error(`A record cannot go from ${before.status} to ${move.to}.`);
      }
      const after = applied(before, move, now);
      records.set(after.id, after);
      try {
        await writes?.(memoryTx);
      } catch (error) {
        records.set(before.id, before);
        throw error;
      }
      if (after.status !== before.status) watches.wake(operationTopic(after));
      return view(after, now);
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
    async noteMisuse(ref, { kind, fields }) {
      if (!storedAt(ref)) return;
      const recordId = ref.id;
      const noted = misuses.get(recordId) ?? new Map<string, NotedMisuse>();
      const way = JSON.stringify([kind, fields]);
      const listed = noted.has(way) || noted.size < maxMisuseKinds;
      const name = listed ? way : JSON.stringify([kind, []]);
      const [now, before] = [new Date(clock()), noted.get(name)];
      noted.set(name, {
        kind,
        fields: listed ? fields : [],
        times: (before?.times ?? 0) + 1,
        firstAt: before?.firstAt ?? now,
        lastAt: now,
      });
      misuses.set(recordId, noted);
    },
    async misusesOf(ref) {
      const noted = storedAt(ref) ? [...(misuses.get(ref.id)?.values() ?? [])] : [];
      return noted.sort((a, b) => b.lastAt.getTime() - a.lastAt.getTime());
    },
    async reap(reaping, limit) {
      const now = clock();
      const due = [...records.values()].filter((stored) => isDue(stored, reaping, now)).slice(0, limit);
      for (const stored of due) {
        if (reaping === 'delete') {
          records.delete(stored.id);
          misuses.delete(stored.id);
          idByScope.delete(scopeKey(stored));
        } else {
          const aged = reaping === 'expire' ? { status: 'expired' as const } : { response: undefined };
          records.set(stored.id, { ...stored, ...aged });
        }
      }
      return due.length;
    },
    watch: (topic): Promise<ChangeWatch> => Promise.resolve(watches.watch(topic)),
  };

  function storedAt({ tenantId, id }: OperationRef): Stored | undefined {
    const stored = records.get(id);
    return stored?.tenantId === tenantId ? stored : undefined;
  }

  function isUnresolved(scope: Scope): boolean {
    const stored = records.get(idByScope.get(scopeKey(scope)) ?? '');
    return stored?.status === 'in_progress' || stored?.status === 'unknown';
  }
}

/** Memory has no transactions; the type keeps a handler from using one. */
export type MemoryTx = { readonly memory: true };
const memoryTx: MemoryTx = { memory: true };

type Stored = Omit<OperationRecord, 'leaseExpired'> &
  CheckTimes & {
    readonly ageing:
      | { readonly expiresAt: number; readonly purgeAt: number; readonly deleteAt: number }
      | undefined;
  };

function isDue(stored: Stored, reaping: Reaping, now: number): boolean {
  if (!stored.ageing) return false;
  switch (reaping) {
    case 'purge_body':
      return stored.response !== undefined && stored.ageing.purgeAt <= now;
    case 'expire':
      return ['completed', 'failed_retryable'].includes(stored.status) && stored.ageing.expiresAt <= now;
    case 'delete':
      return stored.status === 'expired' && stored.ageing.deleteAt <= now;
  }
}

function matches(stored: Stored, { when }: Move, now: number): boolean {
  if (!when.status.includes(stored.status) || stored.attempt !== when.attempt) return false;
  return !when.leaseExpired || leaseExpired(stored, now);
}

function applied(stored: Stored, move: Move, now: number): Stored {
  return {
    ...stored,
    status: move.to,
    attempt: stored.attempt + (move.nextAttempt ? 1 : 0),
    leaseUntil:
      move.to !== 'in_progress'
        ? undefined
        : move.leaseMs === undefined
          ? stored.leaseUntil
          : now + move.leaseMs,
    ageing: move.retention
      ? {
          expiresAt: now + move.retention.replayMs,
          purgeAt: now + move.retention.bodyMs,
          deleteAt: now + move.retention.metadataMs,
        }
      : move.to === 'in_progress' || move.to === 'unknown'
        ? undefined
        : stored.ageing,
    recoveryPoint: move.recoveryPoint ?? stored.recoveryPoint,
    effectSent: move.effectSent ?? stored.effectSent,
    response: move.response ?? stored.response,
    resource: move.resource ?? stored.resource,
    lastErrorCode: move.errorCode ?? stored.lastErrorCode,
    nextCheckAt:
      move.to !== 'unknown'
        ? undefined
        : move.reconcileInMs === undefined
          ? stored.nextCheckAt
          : now + move.reconcileInMs,
    checkCount: move.nextAttempt ? 0 : stored.checkCount,
    lastCheckedAt: move.nextAttempt ? undefined : stored.lastCheckedAt,
    scheduledCheckAt: move.nextAttempt ? undefined : stored.scheduledCheckAt,
    escalated: move.to === 'unknown' && stored.escalated,
    updatedAt: new Date(now),
    completedAt: move.to === 'completed' ? new Date(now) : stored.completedAt,
  };
}

function view(
  {
    leaseUntil,
    ageing: _,
    nextCheckAt: _next,
    lastCheckedAt: _lastChecked,
    scheduledCheckAt: _scheduled,
    escalated: _escalated,
    ...stored
  }: Stored,
  now: number,
): OperationRecord {
  return { ...stored, leaseExpired: leaseExpired({ leaseUntil }, now) };
}

function leaseExpired({ leaseUntil }: Pick<Stored, 'leaseUntil'>, now: number): boolean {
  return leaseUntil !== undefined && leaseUntil <= now;
}

function scopeKey({ tenantId, operation, key }: Scope): string {
  return JSON.stringify([tenantId, operation, key]);
}
