import type { FieldDigests } from './field-digests.ts';
import type { Verdict } from './operation.ts';
import type { OperationRecord, OperationRef, Resource, Scope, SealedResponse, Status } from './record.ts';

/** Who moves a record, why, and on what evidence. The append-only events keep it. */
export interface Because {
  readonly actor: string;
  readonly cause: string;
  readonly evidence?: Readonly<Record<string, unknown>>;
}

export interface Claim extends Scope {
  readonly fingerprint: string;
  readonly fingerprintVersion: number;
  readonly fieldDigests: FieldDigests;
  readonly principal: string;
  readonly leaseMs: number;
  readonly effectSent: boolean;
}

/**
 * One conditional step of one record. It happens only if the record still matches `when`, checked by the store in
 * the same atomic statement; otherwise nothing is written and the caller gets undefined.
 */
export interface Move {
  readonly record: OperationRef;
  readonly when: {
    readonly status: readonly Status[];
    readonly attempt: number;
    readonly leaseExpired?: true;
  };
  readonly to: Status;
  readonly because: Because;
  readonly nextAttempt?: true;
  readonly leaseMs?: number;
  readonly recoveryPoint?: string;
  readonly effectSent?: boolean;
  readonly response?: SealedResponse;
  readonly resource?: Resource;
  readonly errorCode?: string;
  readonly reconcileInMs?: number;
  /** Starts the retention of a record that is completed or released. */
  readonly retention?: Retention;
}

/**
 * Three periods, all starting when a record is completed or released. They are separate because they serve different
 * needs: clients that retry, data protection, and the explanation of an old payment.
 */
export interface Retention {
  /** How long the response is replayed; afterwards the key is expired and the response is 410. */
  readonly replayMs: number;
  /** How long the body is kept. After the replay window it is of no use. */
  readonly bodyMs: number;
  /** How long the rest is kept; afterwards the record is deleted and the key is new again. */
  readonly metadataMs: number;
}

/** A tenant's own settings; what it leaves out comes from the operation or the engine. */
export interface TenantPolicy {
  readonly leaseMs?: number;
  readonly retention?: Partial<Retention>;
}

/** The three kinds of ageing, in the order in which a record meets them. */
export type Reaping = 'purge_body' | 'expire' | 'delete';

/**
 * Where records live. `Tx` is the store's own transaction handle: domain writes made through it commit or vanish
 * together with the move.
 */
export interface IdempotencyStore<Tx> {
  /** Atomic: of any number of concurrent callers exactly one gets the record, the others get undefined. */
  insert(claim: Claim): Promise<OperationRecord | undefined>;
  find(scope: Scope): Promise<OperationRecord | undefined>;
  findById(ref: OperationRef): Promise<OperationRecord | undefined>;
  /** Undefined: the record was no longer what `when` says; nothing was written and `writes` did not run. */
  move(move: Move, writes?: (tx: Tx) => Promise<void>): Promise<OperationRecord | undefined>;
  /**
   * The key of a command that came without one: the same for equal commands within the window, and for as long as the
   * last one of them is unresolved.
   */
  bodyKey(of: BodyKeyRequest): Promise<string>;
  /** Counts a misuse with those like it. A flood of them adds to counters, not to rows. */
  noteMisuse(ref: OperationRef, misuse: Misuse): Promise<void>;
  /** The latest first. */
  misusesOf(ref: OperationRef): Promise<readonly NotedMisuse[]>;
  /** Ages at most `limit` records one step; how many it was. Never waits for, nor blocks, a claim. */
  reap(reaping: Reaping, limit: number): Promise<number>;
}

/** How a request used a key that was not its own. Names of fields only: no value was kept to compare with. */
export interface Misuse {
  readonly kind: 'command' | 'principal';
  /** Sorted. Empty when unknown, and for the misuses beyond `maxMisuseKinds`, which are counted together. */
  readonly fields: readonly string[];
}

export interface NotedMisuse extends Misuse {
  readonly times: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

/** How many different misuses of one key are listed; the rest are only counted. */
export const maxMisuseKinds = 20;

/** Work that becomes due: for the background processes, and for readers who want a check sooner. */
export interface CheckQueue {
  /** Records in progress whose lease has expired. */
  expiredLeases(limit: number): Promise<OperationRecord[]>;
  /**
   * Takes unknown records whose check is due; for `holdMs` no other worker gets them. The check is counted, unless it was
   * expedited and the scheduled one is still ahead. Each attempt is counted from zero.
   */
  take(limit: number, holdMs: number): Promise<OperationRecord[]>;
  /**
   * Schedules the next check. After an expedited check the scheduled one keeps its time, so that no number of readers can
   * hold up the schedule. A check of an attempt that was superseded meanwhile changes nothing.
   */
  postpone(checked: CheckedRecord, inMs: number): Promise<void>;
  /** Ends the automatic checks: an operator has to decide. False when it was escalated before, or is at another attempt. */
  escalate(checked: CheckedRecord): Promise<boolean>;
  /**
   * Makes a check due now, unless the last one began less than `restMs` ago. It is an extra check and does not restart a
   * schedule that is over. False: nothing changed.
   */
  expedite(ref: OperationRef, restMs: number): Promise<boolean>;
  /**
   * Moves every check that is further away than `holdMs` into the next `spreadMs`, as an extra check; returns how many.
   * Nearer ones are due soon anyway, or are being made.
   */
  expediteAll(spreadMs: number, holdMs: number): Promise<number>;
}

export type CheckedRecord = Pick<OperationRecord, 'tenantId' | 'id' | 'attempt'>;

export interface BodyKeyRequest {
  readonly tenantId: string;
  readonly operation: string;
  readonly fingerprint: string;
  readonly windowMs: number;
}

/** The topic on which a record's changes are signalled. The trigger of the PostgreSQL store writes the same text. */
export function operationTopic({ tenantId, id }: OperationRef): string {
  return `${id}:${tenantId}`;
}

/** Wakes readers when a record changes its status, whichever process changed it. */
export interface ChangeSignal {
  /** Once this has resolved no change is missed, so read the record after it, not before. */
  watch(topic: string): Promise<ChangeWatch>;
}

export interface ChangeWatch {
  /** Resolves true at the next change, false when the time is over; rejects once closed. */
  changed(withinMs: number): Promise<boolean>;
  close(): void;
}

/** The store itself failed; what the caller asked for may or may not have been written. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';

  constructor(cause: unknown) {
    super('The idempotency store could not be reached.', { cause });
  }
}

/** Keeps responses unreadable at rest. The record's id is bound in, so a body cannot be moved to another record. */
export interface ResponseCipher {
  seal(recordId: string, body: string): { keyId: string; body: Uint8Array };
  open(recordId: string, sealed: { keyId: string; body: Uint8Array }): string;
}

/** Events for metrics and logs. They contain no key, body or principal. */
export type EngineEvent =
  /** Without an id when the caller was refused the record. */
  | ({ readonly kind: 'reserve'; readonly outcome: ReserveOutcome } & About<string | undefined>)
  /** How an owner ended its attempt. */
  | ({ readonly kind: 'ended'; readonly as: Verdict<unknown, never>['kind']; readonly cause: string } & About)
  /** A lease expired while its owner held it. */
  | ({ readonly kind: 'zombie_key'; readonly to: Status } & About)
  | ({ readonly kind: 'stale_write_refused' } & About)
  | ({ readonly kind: 'store_error'; readonly error: unknown } & About<string | undefined>)
  | ({ readonly kind: 'handler_error'; readonly error: unknown } & About);

interface About<Id = string> {
  readonly operation: string;
  readonly tenantId: string;
  readonly operationId: Id;
}

export type ReserveOutcome =
  | 'created'
  | 'replay'
  | 'in_progress'
  | 'key_misuse'
  | 'failed_retry'
  | 'unknown'
  | 'expired';

export type EngineObserver = (event: EngineEvent) => void;
