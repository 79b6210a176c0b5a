import type { RetentionStep, Transition } from '../ports.ts';
import type { OperationRecord } from '../record.ts';
import type { CheckTimes } from './memory-check-queue.ts';

/** A record as the memory store keeps it, with the times that PostgreSQL keeps in columns. */
export type Stored = Omit<OperationRecord, 'leaseExpired'> &
  CheckTimes & {
    readonly retentionTimes:
      | { readonly expiresAt: number; readonly purgeAt: number; readonly deleteAt: number }
      | undefined;
  };

export function isDue(stored: Stored, step: RetentionStep, now: number): boolean {
  if (!stored.retentionTimes) return false;
  switch (step) {
    case 'purge_body':
      return stored.response !== undefined && stored.retentionTimes.purgeAt <= now;
    case 'expire':
      return (
        ['completed', 'failed_retryable'].includes(stored.status) && stored.retentionTimes.expiresAt <= now
      );
    case 'delete':
      return stored.status === 'expired' && stored.retentionTimes.deleteAt <= now;
  }
}

export function matches(stored: Stored, { record, when }: Transition, now: number): boolean {
  if (stored.createdAt.getTime() !== record.createdAt.getTime()) return false;
  if (!when.status.includes(stored.status) || stored.attempt !== when.attempt) return false;
  return !when.leaseExpired || leaseExpired(stored, now);
}

export function apply(transition: Transition, stored: Stored, now: number): Stored {
  return {
    ...stored,
    status: transition.to,
    attempt: stored.attempt + (transition.nextAttempt ? 1 : 0),
    leaseUntil:
      transition.to !== 'in_progress'
        ? undefined
        : transition.leaseMs === undefined
          ? stored.leaseUntil
          : now + transition.leaseMs,
    retentionTimes: transition.retention
      ? {
          expiresAt: now + transition.retention.replayMs,
          purgeAt: now + transition.retention.bodyMs,
          deleteAt: now + transition.retention.metadataMs,
        }
      : transition.to === 'in_progress' || transition.to === 'unknown'
        ? undefined
        : stored.retentionTimes,
    recoveryPoint: transition.recoveryPoint ?? stored.recoveryPoint,
    effectSent: transition.effectSent ?? stored.effectSent,
    response: transition.response ?? stored.response,
    resource: transition.resource ?? stored.resource,
    lastErrorCode: transition.errorCode ?? stored.lastErrorCode,
    nextCheckAt:
      transition.to !== 'unknown'
        ? undefined
        : transition.checkInMs === undefined
          ? stored.nextCheckAt
          : now + transition.checkInMs,
    checkCount: transition.nextAttempt ? 0 : stored.checkCount,
    lastCheckedAt: transition.nextAttempt ? undefined : stored.lastCheckedAt,
    scheduledCheckAt: transition.nextAttempt ? undefined : stored.scheduledCheckAt,
    escalated: transition.to === 'unknown' && stored.escalated,
    updatedAt: new Date(now),
    completedAt: transition.to === 'completed' ? new Date(now) : stored.completedAt,
  };
}

export function view(
  {
    leaseUntil,
    retentionTimes: _,
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
