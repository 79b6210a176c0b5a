import { randomUUID } from 'node:crypto';
import {
  type DueQueue,
  type IdempotencyStore,
  type Move,
  maxMisuseKinds,
  type NotedMisuse,
  type Reaping,
  type SettlementSignal,
  type SettlementWatch,
} from '../ports.ts';
import { canMove, firstRecoveryPoint, type OperationRecord, type Scope } from '../record.ts';
import { createWatches } from '../change-watches.ts';
import { createMemoryDueQueue, type Due } from './memory-check-queue.ts';

/**
 * The same store in one process's memory: for learning the model, and for the contract suite that keeps it honest.
 * Nothing here survives a restart, so it protects nothing. Every method runs without a pause between look and
 * change, which is what makes it atomic in JavaScript.
 */
export function createMemoryStore(
  clock: () => number = Date.now,
): IdempotencyStore<MemoryTx> & SettlementSignal & DueQueue {
  const records = new Map<string, Stored>();
  const idByScope = new Map<string, string>();
  const windows = new Map<string, { key: string; endsAt: number }>();
  const misuses = new Map<string, Map<string, NotedMisuse>>();
  const watches = createWatches();

  return {
    ...createMemoryDueQueue(records, view, clock),
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
        answer: undefined,
        resource: undefined,
        lastErrorCode: undefined,
        reconcileAttempts: 0,
        reconcileAfter: undefined,
        lookedAt: undefined,
        scheduledFor: undefined,
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
    async findById(id) {
      const stored = records.get(id);
      return stored && view(stored, clock());
    },
    async move(move, writes) {
      const now = clock();
      const before = records.get(move.id);
      if (!before || !matches(before, move, now)) return undefined;
      if (before.status !== move.to && !canMove(before.status, move.to)) {
        throw new Error(`A record cannot go from ${before.status} to ${move.to}.`);
      }
      const after = applied(before, move, now);
      records.set(move.id, after);
      try {
        await writes?.(memoryTx);
      } catch (error) {
        records.set(move.id, before);
        throw error;
      }
      if (after.status !== before.status) watches.wake(move.id);
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
    async noteMisuse(recordId, { kind, fields }) {
      if (!records.has(recordId)) return;
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
    async misusesOf(recordId) {
      const noted = [...(misuses.get(recordId)?.values() ?? [])];
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
          const aged = reaping === 'expire' ? { status: 'expired' as const } : { answer: undefined };
          records.set(stored.id, { ...stored, ...aged });
        }
      }
      return due.length;
    },
    watch: (operationId): Promise<SettlementWatch> => Promise.resolve(watches.watch(operationId)),
  };

  function isUnresolved(scope: Scope): boolean {
    const stored = records.get(idByScope.get(scopeKey(scope)) ?? '');
    return stored?.status === 'in_progress' || stored?.status === 'unknown';
  }
}

/** Memory has no transaction to hand out; the type keeps a handler from pretending otherwise. */
export type MemoryTx = { readonly memory: true };
const memoryTx: MemoryTx = { memory: true };

type Stored = Omit<OperationRecord, 'leaseExpired'> &
  Due & {
    readonly ageing:
      | { readonly expiresAt: number; readonly purgeAt: number; readonly deleteAt: number }
      | undefined;
  };

function isDue(stored: Stored, reaping: Reaping, now: number): boolean {
  if (!stored.ageing) return false;
  switch (reaping) {
    case 'purge_body':
      return stored.answer !== undefined && stored.ageing.purgeAt <= now;
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
    answer: move.answer ?? stored.answer,
    resource: move.resource ?? stored.resource,
    lastErrorCode: move.errorCode ?? stored.lastErrorCode,
    reconcileAfter:
      move.to !== 'unknown'
        ? undefined
        : move.reconcileInMs === undefined
          ? stored.reconcileAfter
          : now + move.reconcileInMs,
    reconcileAttempts: move.nextAttempt ? 0 : stored.reconcileAttempts,
    lookedAt: move.nextAttempt ? undefined : stored.lookedAt,
    scheduledFor: move.nextAttempt ? undefined : stored.scheduledFor,
    escalated: move.to === 'unknown' && stored.escalated,
    updatedAt: new Date(now),
    completedAt: move.to === 'completed' ? new Date(now) : stored.completedAt,
  };
}

function view(
  {
    leaseUntil,
    ageing: _,
    reconcileAfter: _after,
    lookedAt: _looked,
    scheduledFor: _scheduled,
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
