import type { FingerprintVersions } from './fingerprint.ts';
import type { KeySource } from './key-source.ts';
import type { Retention } from './ports.ts';
import type { Problem } from './problems.ts';
import type { OperationRecord, OperationRef, Resource } from './record.ts';

/**
 * Whether an outside effect may be under way once this recovery point is committed. `unsent` points are what allows
 * a crashed attempt to be retried without asking the provider.
 */
export type Sent = 'unsent' | 'sent';

/** What a request gets while an equal request with the same key is still running. */
export type WhileRunning =
  /** 409 with Retry-After: right for short work and clients that retry. */
  | { readonly kind: 'conflict' }
  /** 202 with a status URL: right for work of many seconds. */
  | { readonly kind: 'accepted' }
  /** Held until the owner finishes, then replayed; after `maxMs` it gets the conflict. */
  | { readonly kind: 'wait'; readonly maxMs: number };

/** How an exception of the handler is read: nothing happened outside, or the outcome is unknown. */
export type FailureReading = 'retryable' | 'unknown';

/** The rules of one kind of operation. */
export interface OperationDefinition<Tx> {
  readonly name: string;
  readonly apiVersion: string;
  /** Default: the Idempotency-Key header. */
  readonly keySource?: KeySource;
  readonly fingerprints?: FingerprintVersions;
  /** Longer than the handler's own deadline: an owner gives up before its lease expires. Default: the engine's. */
  readonly leaseMs?: number;
  /** In order. `claimed` is implied and counts as `sent` unless listed: who declares nothing gets the pessimist's reading. */
  readonly recoveryPoints?: Readonly<Record<string, Sent>>;
  /** Default: conflict. */
  readonly whileRunning?: WhileRunning;
  readonly retryAfterSeconds: number;
  /** How to read an exception of the handler. Default: unknown as soon as anything may have been sent. */
  readonly failurePolicy?: (
    error: unknown,
    at: { recoveryPoint: string; effectSent: boolean },
  ) => FailureReading;
  /** After how long an unknown outcome is first checked. */
  readonly reconcileInMs: number;
  /** The pauses between the checks that follow, in order; after the last check the operation is escalated. Default: the reconciler's. */
  readonly reconcilePausesMs?: readonly number[];
  readonly retention: Retention;
  readonly responseSchemaVersion: number;
  /** Turns a body stored by an older version into today's. Without it, old responses are replayed as they were. */
  readonly upgradeResponse?: (body: unknown, fromVersion: number) => unknown;
  /** Runs in the transaction in which the engine itself releases a record whose owner died before sending anything. */
  readonly onReleased?: (tx: Tx, record: OperationRecord) => Promise<void>;
}

interface ResolutionDetails<Tx> {
  readonly evidence?: Readonly<Record<string, unknown>>;
  /** Domain writes that must be true exactly when the verdict is. */
  readonly writes?: (tx: Tx) => Promise<void>;
}

/** What a handler says about how it ended. */
export type Verdict<T, Tx> =
  | ({
      readonly kind: 'completed';
      readonly status: number;
      readonly body: T;
      readonly resource?: Resource;
      readonly cause: string;
    } & ResolutionDetails<Tx>)
  | ({
      readonly kind: 'failed_retryable';
      readonly problem: Problem;
      /** Where the next attempt may start: an `unsent` point. */
      readonly recoveryPoint?: string;
    } & ResolutionDetails<Tx>)
  | ({ readonly kind: 'unknown'; readonly code: string } & ResolutionDetails<Tx>);

/** What the handler is given: the right to execute one attempt. */
export interface Execution<Tx> {
  readonly ref: OperationRef;
  readonly operationId: string;
  readonly tenantId: string;
  readonly attempt: number;
  readonly recoveryPoint: string;
  /** Commits domain writes and the recovery point together, or throws `Superseded` and leaves nothing behind. */
  phase(recoveryPoint: string, writes?: (tx: Tx) => Promise<void>): Promise<void>;
  /** For work that is longer than expected, while it is provably alive. */
  extendLease(): Promise<void>;
  /** Waits for the work; throws `ResolvedElsewhere` as soon as the operation has been resolved by another writer. */
  unlessResolved<T>(work: Promise<T>): Promise<T>;
}

export type Handler<T, Tx> = (execution: Execution<Tx>) => Promise<Verdict<T, Tx>>;

/** Another attempt or a reconciliation has taken over; this owner can write nothing more. */
export class Superseded extends Error {
  override readonly name: string = 'Superseded';

  constructor(operationId: string) {
    super(`Operation ${operationId} is no longer owned by this attempt.`);
  }
}

/** Evidence resolved the operation while this owner was still waiting for the provider. */
export class ResolvedElsewhere extends Superseded {
  override readonly name = 'ResolvedElsewhere';
}
