import type { FieldDigests } from './field-digests.ts';

/**
 * The state machine of an operation, one record per (tenant, operation, key).
 *
 * - `in_progress`: one owner, identified by the attempt number, may execute. Its lease says until when it is believed to
 *   be alive. An expired lease never lets another caller execute: the outcome becomes `unknown`, or `failed_retryable`
 *   if the recovery point proves that no effect was sent.
 * - `completed`: there is a definitive response, a success or a business failure such as a decline. It is replayed.
 * - `failed_retryable`: it is proven that nothing happened outside. The next request with the same key and command
 *   executes, as attempt + 1.
 * - `unknown`: an effect may have happened outside. Evidence ends it; time never does.
 * - `expired`: the replay window is over. The metadata is kept for a while, so that a late retry gets a 410 and does not
 *   execute.
 *
 * A trigger in the database enforces the table below; the store contract tests every pair of statuses against both.
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

export function isTransitionAllowed(from: Status, to: Status): boolean {
  return (transitions[from] as readonly Status[]).includes(to);
}

/** The unique name of a record: a key belongs to one tenant and one operation. */
export interface Scope {
  readonly tenantId: string;
  readonly operation: string;
  readonly key: string;
}

/** What the operation created. A caller whose response has expired can still find it by this. */
export interface Resource {
  readonly type: string;
  readonly id: string;
}

/** A response as it is sent. Replays must be byte-identical, so the body is text and not an object. */
export interface OperationResponse {
  readonly status: number;
  readonly body: string;
}

/** A response as it is stored: encrypted, with the versions needed to read it after a key rotation or a deploy. */
export interface SealedResponse {
  readonly status: number;
  readonly body: Uint8Array;
  readonly keyId: string;
  readonly schemaVersion: number;
}

/** The primary key of a record. The tenant is part of it, so that no statement has to search all tenants. */
export interface OperationRef {
  readonly tenantId: string;
  readonly id: string;
}

export interface OperationRecord extends Scope, OperationRef {
  readonly fingerprint: string;
  readonly fingerprintVersion: number;
  /** Undefined for records that were claimed before digests were stored. */
  readonly fieldDigests: FieldDigests | undefined;
  readonly principal: string;
  readonly status: Status;
  readonly attempt: number;
  /** By the store's clock at the moment of reading. No process clock decides ownership. */
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

/** Every record starts at `claimed`, and a completed one is at `finished`. The operation declares the points between. */
export const firstRecoveryPoint = 'claimed';
export const lastRecoveryPoint = 'finished';
