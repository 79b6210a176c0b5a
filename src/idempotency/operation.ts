import type { FingerprintVersions } from './fingerprint.ts';
import type { Problem } from './problems.ts';
import type { OperationRecord, Resource } from './record.ts';

/**
 * Whether an outside effect may be under way once this recovery point is committed. `unsent` points are what allows
 * a crashed attempt to be retried without asking anybody.
 */
export type Sent = 'unsent' | 'sent';

/** The rules of one kind of operation. */
export interface OperationDefinition<Tx> {
  readonly name: string;
  readonly apiVersion: string;
  /** Longer than the handler's own deadline: an owner gives up before others may doubt it. Default: the engine's. */
  readonly leaseMs?: number;
  /** In order. `claimed` is implied and counts as `sent` unless listed: who declares nothing gets the pessimist's reading. */
  readonly recoveryPoints?: Readonly<Record<string, Sent>>;
  readonly fingerprints?: FingerprintVersions;
  /** How long a finished answer is replayed. */
  readonly replayMs: number;
  /** After how long an unknown outcome is first looked into. */
  readonly reconcileInMs: number;
  readonly responseSchemaVersion: number;
  readonly retryAfterSeconds: number;
  /** Runs in the transaction in which the engine itself releases a record whose owner died before sending anything. */
  readonly onReleased?: (tx: Tx, record: OperationRecord) => Promise<void>;
}

interface Settlement<Tx> {
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
    } & Settlement<Tx>)
  | ({
      readonly kind: 'failed_retryable';
      readonly problem: Problem;
      /** Where the next attempt may start: an `unsent` point. */
      readonly recoveryPoint?: string;
    } & Settlement<Tx>)
  | ({ readonly kind: 'unknown'; readonly code: string } & Settlement<Tx>);

/** What the handler is given: the right to execute one attempt. */
export interface Execution<Tx> {
  readonly operationId: string;
  readonly tenantId: string;
  readonly attempt: number;
  readonly recoveryPoint: string;
  /** Commits domain writes and the recovery point together, or throws `Superseded` and leaves nothing behind. */
  phase(recoveryPoint: string, writes?: (tx: Tx) => Promise<void>): Promise<void>;
  /** For work that is longer than expected, while it is provably alive. */
  extendLease(): Promise<void>;
}

export type Handler<T, Tx> = (execution: Execution<Tx>) => Promise<Verdict<T, Tx>>;

/** Another attempt or a reconciliation has taken over; whoever holds this may write nothing more. */
export class Superseded extends Error {
  override readonly name = 'Superseded';

  constructor(operationId: string) {
    super(`Operation ${operationId} is no longer owned by this attempt.`);
  }
}
