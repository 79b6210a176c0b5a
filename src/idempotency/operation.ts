import type { FingerprintVersions, WriteValue } from './fingerprint.ts';
import type { KeySource } from './key-source.ts';
import type { Claim, Retention } from './ports.ts';
import type { Problem } from './problems.ts';
import { firstRecoveryPoint, type OperationRecord, type OperationRef, type Resource } from './record.ts';
import type { DomainWrites } from './row-statement.ts';

/**
 * Whether an outside effect may be under way once a recovery point is committed. A crashed attempt whose last point is
 * `unsent` can be retried without asking the provider.
 */
export type EffectState = 'unsent' | 'sent';

/** What a request gets while another request with the same key and command is being executed. */
export type ConcurrentRequestPolicy =
  /** 409 with Retry-After: for short work, and clients that retry. */
  | { readonly kind: 'conflict' }
  /** 202 with a status URL: for work of many seconds. */
  | { readonly kind: 'accepted' }
  /** The request is held until the owner finishes, and gets the replay; after `maxMs` it gets the 409. */
  | { readonly kind: 'wait'; readonly maxMs: number };

/** What an exception of the handler means: nothing happened outside, or it is not known what happened. */
export type FailureKind = 'retryable' | 'unknown';

/** When an unknown outcome is checked. The engine schedules the first check, the reconciler those that follow. */
export interface CheckSchedule {
  /** From the outcome becoming unknown to the first check. */
  readonly firstInMs: number;
  /** The pauses between the checks that follow, in order. After the last check the operation is escalated. */
  readonly pausesMs: readonly number[];
}

/** The rules of one kind of operation. */
export interface OperationDefinition<Tx> {
  readonly name: string;
  readonly apiVersion: string;
  /** Default: the Idempotency-Key header. */
  readonly keySource?: KeySource;
  readonly fingerprints?: FingerprintVersions;
  /** Longer than the handler's own deadline, so that an owner gives up before its lease expires. Default: the engine's. */
  readonly leaseMs?: number;
  /**
   * In order. `claimed` is implied and counts as `sent` unless it is listed, so a crash of an operation that declares
   * nothing leaves the outcome unknown.
   */
  readonly recoveryPoints?: Readonly<Record<string, EffectState>>;
  /** Default: conflict. */
  readonly concurrentRequestPolicy?: ConcurrentRequestPolicy;
  readonly retryAfterSeconds: number;
  /**
   * Classifies an exception of the handler. Default: `unknown` once an effect may have been sent, else `retryable`, which
   * releases the key and says that nothing happened.
   */
  readonly failurePolicy?: (
    error: unknown,
    at: { recoveryPoint: string; effectSent: boolean },
  ) => FailureKind;
  readonly checks: CheckSchedule;
  readonly retention: Retention;
  readonly responseSchemaVersion: number;
  /** Upgrades a body that an older version stored. Without it, old responses are replayed as they were. */
  readonly upgradeResponse?: (body: unknown, fromVersion: number) => unknown;
  /** Runs in the transaction in which the engine releases a record whose owner failed before sending anything. */
  readonly onReleased?: (tx: Tx, record: OperationRecord) => Promise<void>;
}

/** `claimed` counts as sent unless it is declared. Any other undeclared recovery point is a bug in the handler. */
export function isEffectSent<Tx>(operation: OperationDefinition<Tx>, recoveryPoint: string): boolean {
  const state = operation.recoveryPoints?.[recoveryPoint];
  if (state === undefined && recoveryPoint !== firstRecoveryPoint) {
    throw new Error(`Operation ${operation.name} declares no recovery point "${recoveryPoint}".`);
  }
  return state !== 'unsent';
}

/** One request for an operation, after authentication and validation. */
export interface OperationRequest {
  readonly tenantId: string;
  readonly principal: string;
  /** As it arrived. The operation's key source decides which key it means, if any. */
  readonly keyHeader: string | readonly string[] | null | undefined;
  /** Validated and normalised, with defaults applied. */
  readonly input: unknown;
  /** Writes values of the input that JSON has no form for, to compare them. Without it such an input is refused. */
  readonly writeValue?: WriteValue;
  /** Domain rows that are inserted in the statement of the claim, if this request wins it. */
  readonly atClaim?: (ref: OperationRef) => Pick<Claim, 'rows' | 'topics'>;
}

interface ResolutionDetails<Tx> {
  readonly evidence?: Readonly<Record<string, unknown>>;
  /** Domain writes that commit together with the verdict. */
  readonly writes?: DomainWrites<Tx>;
  /** What else changes for readers that watch it. */
  readonly topics?: readonly string[];
}

export type CompletedVerdict<T, Tx> = {
  readonly kind: 'completed';
  readonly status: number;
  readonly body: T;
  readonly resource?: Resource;
  readonly cause: string;
} & ResolutionDetails<Tx>;

/** How an attempt ended, as the handler or the evidence says. */
export type Verdict<T, Tx> =
  | CompletedVerdict<T, Tx>
  | ({
      readonly kind: 'failed_retryable';
      readonly problem: Problem;
      /** Where the next attempt may start: an `unsent` point. */
      readonly recoveryPoint?: string;
      /** What an earlier record of the key has made: this one is a retry from long after. */
      readonly resource?: Resource;
    } & ResolutionDetails<Tx>)
  | ({ readonly kind: 'unknown'; readonly code: string } & ResolutionDetails<Tx>);

/** The right to execute one attempt. The handler receives it. */
export interface Execution<Tx> {
  readonly ref: OperationRef;
  /** The two parts of `ref`, by the names that domain rows have for them. */
  readonly operationId: string;
  readonly tenantId: string;
  readonly attempt: number;
  readonly recoveryPoint: string;
  /** What the row statement of the claim returned. Undefined if it inserted nothing, and for every later attempt. */
  readonly rowResult: unknown;
  /** Commits domain writes and the recovery point together. Throws `Superseded` if the attempt is over. */
  phase(recoveryPoint: string, writes?: DomainWrites<Tx>): Promise<void>;
  /** For work that takes longer than expected, while the owner can show that it is still making progress. */
  extendLease(): Promise<void>;
  /** Waits for the work. Throws `ResolvedElsewhere` as soon as another writer has resolved the operation. */
  unlessResolved<T>(work: Promise<T>): Promise<T>;
}

export type Handler<T, Tx> = (execution: Execution<Tx>) => Promise<Verdict<T, Tx>>;

/**
 * Thrown by an adapter whose application refused the request itself, for instance because something does not exist. It is
 * no bug, so it is not reported as one unless it leaves the outcome unknown.
 */
export class RefusedByApplication extends Error {
  override readonly name = 'RefusedByApplication';
  readonly error: unknown;

  constructor(error: unknown) {
    super('The application refused the request.', { cause: error });
    this.error = error;
  }
}

/** Another attempt or a reconciliation has taken over. The database refuses all further writes of this owner. */
export class Superseded extends Error {
  override readonly name: string = 'Superseded';

  constructor(operationId: string) {
    super(`Operation ${operationId} is no longer owned by this attempt.`);
  }
}

/** Evidence resolved the operation while its owner was still waiting for the provider. */
export class ResolvedElsewhere extends Superseded {
  override readonly name = 'ResolvedElsewhere';
}
