import type { FieldDigests } from './field-digests.ts';
import type { OperationRecord, OperationRef, Resource, Scope, SealedResponse, Status } from './record.ts';
import type { DomainWrites, RowWrite } from './row-statement.ts';

/** Who changes a record, why, and on what evidence. The append-only events keep it. */
export interface TransitionReason {
  readonly actor: string;
  readonly cause: string;
  readonly evidence?: Readonly<Record<string, unknown>>;
}

/** The values of a new record. */
export interface Claim extends Scope, OperationRef {
  readonly fingerprint: string;
  readonly fingerprintVersion: number;
  readonly fieldDigests: FieldDigests;
  readonly principal: string;
  readonly leaseMs: number;
  readonly effectSent: boolean;
  /** Domain rows that are inserted together with the record. */
  readonly rows?: RowWrite;
  /** What else than the record changes for readers that watch it; see `ChangeSignal`. */
  readonly topics?: readonly string[];
}

/** What a claim found: the record was inserted, with the result of the claim's row statement, or it exists already. */
export type Claimed =
  | { readonly granted: true; readonly record: OperationRecord; readonly rowResult: unknown }
  | { readonly granted: false; readonly record: OperationRecord };

/**
 * One conditional change of one record. The store checks `when` in the same atomic statement; if the record no longer
 * matches, nothing is written. A phase and an extended lease are transitions from `in_progress` to itself.
 */
export interface Transition {
  /**
   * A key that was deleted and is claimed again has the same id and starts at attempt 1. The time of the claim keeps an
   * owner from before the deletion from writing.
   */
  readonly record: OperationRef & Scope & Pick<OperationRecord, 'createdAt'>;
  readonly when: {
    readonly status: readonly Status[];
    readonly attempt: number;
    readonly leaseExpired?: true;
  };
  readonly to: Status;
  readonly reason: TransitionReason;
  readonly nextAttempt?: true;
  readonly leaseMs?: number;
  readonly recoveryPoint?: string;
  readonly effectSent?: boolean;
  readonly response?: SealedResponse;
  readonly resource?: Resource;
  readonly errorCode?: string;
  readonly checkInMs?: number;
  /** Starts the retention of a record that is completed or released. */
  readonly retention?: Retention;
  /** What else than the record changes for readers that watch it; see `ChangeSignal`. */
  readonly topics?: readonly string[];
}

/**
 * Three periods that start when a record is completed or released. They are separate because clients that retry, data
 * protection, and the explanation of an old payment need different lengths.
 */
export interface Retention {
  /** How long the response is replayed. Afterwards the key is expired, and a retry gets a 410. */
  readonly replayMs: number;
  /** How long the body is kept. After the replay window it is of no use. */
  readonly bodyMs: number;
  /** How long the rest is kept. Afterwards the record is deleted, and the key is new again. */
  readonly metadataMs: number;
}

/** A tenant's own settings. What it leaves out comes from the operation or the engine. */
export interface TenantPolicy {
  readonly leaseMs?: number;
  readonly retention?: Partial<Retention>;
}

/** The three steps of the reaper, in the order in which a record goes through them. */
export type RetentionStep = 'purge_body' | 'expire' | 'delete';

/**
 * Where records are stored. `Tx` is the store's own transaction handle: domain writes made through it commit or roll
 * back together with the transition.
 */
export interface IdempotencyStore<Tx> {
  /**
   * Atomic: of any number of concurrent callers exactly one is granted the record. Undefined: the row that stopped the
   * insert is gone, or not visible yet, so the caller tries again.
   */
  claim(claim: Claim): Promise<Claimed | undefined>;
  findById(ref: OperationRef): Promise<OperationRecord | undefined>;
  /** False: the record did not match `when`, so nothing was written and `writes` did not run. */
  transition(transition: Transition, writes?: DomainWrites<Tx>): Promise<boolean>;
  /** Domain rows within an open transaction, for code that combines them with other writes. */
  writeRows(tx: Tx, record: OperationRef, rows: RowWrite): Promise<void>;
  /**
   * The key of a command that was sent without one: the same for equal commands within the window, and for as long as the
   * last operation of the window is unresolved.
   */
  bodyKey(request: BodyKeyRequest): Promise<string>;
  /** Counts a misuse together with equal ones, so that a flood of them increments counters and adds no rows. */
  recordMisuse(ref: OperationRef, misuse: Misuse): Promise<void>;
  /** The latest first. */
  listMisuses(ref: OperationRef): Promise<readonly RecordedMisuse[]>;
  /** Takes at most `limit` due records through one step and returns how many. It skips records that are locked. */
  reap(step: RetentionStep, limit: number): Promise<number>;
}

/** How a request used a key that belongs to another one. Only names of fields: no value is stored to compare with. */
export interface Misuse {
  readonly kind: 'command' | 'principal';
  /** Sorted. Empty when unknown, and for the misuses beyond `maxMisuseKinds`, which are counted together. */
  readonly fields: readonly string[];
}

export interface RecordedMisuse extends Misuse {
  readonly times: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

/** How many different misuses of one key are listed; the rest are only counted. */
export const maxMisuseKinds = 20;

export interface BodyKeyRequest {
  readonly tenantId: string;
  readonly operation: string;
  readonly fingerprint: string;
  readonly windowMs: number;
}

/** The work of the background processes: expired leases, and checks of unknown operations. */
export interface CheckQueue {
  /**
   * All records in progress whose lease has expired, in the order of their claims. They are read in pages, so that those
   * which cannot be expired, such as of an operation that only a newer version knows, never hide the others.
   */
  expiredLeases(): AsyncIterable<OperationRecord>;
  /**
   * Takes unknown records whose check is due; for `holdMs` no other worker gets them. The check is counted, unless it was
   * expedited and the scheduled one is still ahead. The count of an attempt starts at zero. Those of `pausedTenants` stay
   * due.
   *
   * Tenants take turns, each with its longest due first: one that has thousands does not hold up another's. `busyTenants` names
   * the tenant of each check that is under way here; it has had its turn.
   */
  take(
    limit: number,
    holdMs: number,
    pausedTenants?: readonly string[],
    busyTenants?: readonly string[],
  ): Promise<OperationRecord[]>;
  /**
   * Schedules the next check. After an expedited check the scheduled one keeps its time, so that no number of readers can
   * delay the schedule. A check of an attempt that was superseded meanwhile changes nothing.
   */
  postpone(checked: CheckedRecord, inMs: number): Promise<void>;
  /** Ends the automatic checks: an operator has to decide. False if it was escalated before, or is at another attempt. */
  escalate(checked: CheckedRecord): Promise<boolean>;
  /**
   * Makes a check due now, unless the last one began less than `restMs` ago. It is an extra check and does not restart a
   * schedule that has ended. False: nothing changed.
   */
  expedite(ref: OperationRef, restMs: number): Promise<boolean>;
  /**
   * Moves every check that is further away than `holdMs` into the next `spreadMs`, as an extra check, and returns how
   * many. Nearer ones are due soon anyway, or a worker holds them.
   */
  expediteAll(spreadMs: number, holdMs: number): Promise<number>;
}

export type CheckedRecord = Pick<OperationRecord, 'tenantId' | 'id' | 'attempt'>;

/** The topic on which changes of a record are signalled. The console's list reads tenant and id back from it. */
export function operationTopic({ tenantId, id }: OperationRef): string {
  return `${id}:${tenantId}`;
}

/**
 * Wakes readers of a topic, in whichever process it changed. The engine signals each change of a record's status. The
 * reaper's changes are not signalled, because no request waits for them.
 */
export interface ChangeSignal {
  /** Once this has resolved no change is missed, so read the record after it and not before. */
  watch(topic: string): Promise<ChangeWatch>;
  /** The same for callers that must not wait: undefined while the signal is not connected. */
  watchNow(topic: string): ChangeWatch | undefined;
  /** Called after a commit. Watchers are woken a moment later; a process that dies before that wakes none. */
  notify(topics: readonly string[]): void;
}

export interface ChangeWatch {
  /** Resolves with true at the next change, and with false when the time is over; rejects once closed. */
  changed(withinMs: number): Promise<boolean>;
  close(): void;
}

/** The store failed. What was being written may or may not have been committed. */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable';

  constructor(cause: unknown, message = 'The idempotency store could not be reached.') {
    super(message, { cause });
  }
}

/** The store took back what was being written, for the sake of another writer: it has not happened, and may be tried again. */
export class RolledBack extends StoreUnavailable {
  override readonly name = 'RolledBack';

  constructor(cause: unknown) {
    super(cause, 'The idempotency store rolled the change back because of another one.');
  }
}

/**
 * A response is stored, and this process cannot read it: it does not have the key yet that another process sealed it with,
 * or no longer. The caller retries, and reaches a process that can.
 */
export class ResponseUnreadable extends StoreUnavailable {
  override readonly name = 'ResponseUnreadable';

  constructor(recordId: string, cause: unknown) {
    super(cause, `The stored response of operation ${recordId} cannot be read.`);
  }
}

/** Encrypts responses at rest. The record's id is authenticated, so a body cannot be moved to another record. */
export interface ResponseCipher {
  seal(recordId: string, body: string): { keyId: string; body: Uint8Array };
  open(recordId: string, sealed: { keyId: string; body: Uint8Array }): string;
}
