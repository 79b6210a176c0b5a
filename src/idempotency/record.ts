import type { FieldDigests } from './field-digests.ts';

/**
 * The life of an operation, one record per (tenant, operation, key).
 *
 * - `in_progress`: one owner, named by the attempt number, may execute. Its lease says until when it is believed
 *   to be alive. An expired lease never lets another caller execute: it only makes the outcome unknown.
 * - `completed`: there is a definitive response (a success, or a business failure such as a decline). It is replayed.
 * - `failed_retryable`: it is proven that nothing happened outside. The same key may execute again, as attempt + 1.
 * - `unknown`: something may have happened outside. Left by evidence only, never by time.
 * - `expired`: the replay window is over. The metadata is kept for a while so that a late retry gets a 410.
 *
 * The database enforces the same table with a trigger; a test compares the two.
 */
export const statuses = ['in_progress', 'completed', 'failed_retryable', 'unknown', 'expired'] as const;
export type Status = (typeof statuses)[number];

export const transitions = {
  in_progress: ['completed', 'failed_retryable', 'unknown'],
  completed: ['expired'],
  failed_retryable: ['in_progress', 'expired'],
  unknown: ['completed', 'failed_retryable'],
  expired: [],
} as const satisfies Record<Status, readonly Status[]>;

export function canMove(from: Status, to: Status): boolean {
  return (transitions[from] as readonly Status[]).includes(to);
}

/** What the key is unique within. */
export interface Scope {
  readonly tenantId: string;
  readonly operation: string;
  readonly key: string;
}

export interface Resource {
  readonly type: string;
  readonly id: string;
}

/** A response as it is sent: replays must be byte-identical, so the body is text, not an object. */
export interface OperationResponse {
  readonly status: number;
  readonly body: string;
}

/** A response as it is stored: encrypted, with what is needed to read it after a key rotation or a deploy. */
export interface SealedResponse {
  readonly status: number;
  readonly body: Uint8Array;
  readonly keyId: string;
  readonly schemaVersion: number;
}

/** Names one record. The tenant is part of the name, so that no statement has to search all tenants. */
export interface OperationRef {
  readonly tenantId: string;
  readonly id: string;
}

export interface OperationRecord extends Scope, OperationRef {
  readonly fingerprint: string;
  readonly fingerprintVersion: number;
  /** Undefined for records that are older than digests are. */
  readonly fieldDigests: FieldDigests | undefined;
  readonly principal: string;
  readonly status: Status;
  readonly attempt: number;
  /** By the store's clock at the moment of reading; no process clock decides ownership. */
  readonly leaseExpired: boolean;
  readonly recoveryPoint: string;
  readonly effectSent: boolean;
  readonly response: SealedResponse | undefined;
  readonly resource: Resource | undefined;
  readonly lastErrorCode: string | undefined;
  readonly checkCount: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly completedAt: Date | undefined;
}

/** Every record starts here; `finished` is where a completed one ends. The points between belong to the operation. */
export const firstRecoveryPoint = 'claimed';
export const lastRecoveryPoint = 'finished';
