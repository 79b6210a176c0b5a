import type { FieldDigests } from './field-digests.ts';
import type { Verdict } from './operation.ts';
import type { OperationRecord, Resource, Scope, SealedAnswer, Status } from './record.ts';

/** Who moves a record, why, and on what evidence: kept forever in the append-only events. */
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
 * One conditional step of one record. It happens only if the record still is what `when` says, judged by the store
 * in the same atomic statement; otherwise nothing happens and the mover is told.
 */
export interface Move {
  readonly id: string;
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
  readonly answer?: SealedAnswer;
  readonly resource?: Resource;
  readonly errorCode?: string;
  readonly reconcileInMs?: number;
  /** Starts the clocks of a record that is settled. */
  readonly retention?: Retention;
}

/**
 * Three clocks, all started when a record is settled. They are separate because they answer to different people:
 * clients that retry, whoever keeps personal data short, and whoever has to explain an old payment.
 */
export interface Retention {
  /** How long the answer is replayed; afterwards the key is expired and answered with 410. */
  readonly replayMs: number;
  /** How long the body is kept. Longer than the replay window it would be of use to nobody. */
  readonly bodyMs: number;
  /** How long the rest is kept, from the settling on; afterwards the key is as if it had never been. */
  readonly metadataMs: number;
}

/** What a tenant decided for itself; where it decided nothing, the operation's and the engine's own rules hold. */
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
  findById(id: string): Promise<OperationRecord | undefined>;
  /** Undefined: the record was no longer what `when` says; nothing was written and `writes` did not run. */
  move(move: Move, writes?: (tx: Tx) => Promise<void>): Promise<OperationRecord | undefined>;
  /**
   * The key of a command that came without one: the same for equal commands within the window, and for as long as the
   * last one of them is unresolved.
   */
  bodyKey(of: BodyKeyRequest): Promise<string>;
  /** Counts a misuse with those like it. A flood of them adds to counters, not to rows. */
  noteMisuse(recordId: string, misuse: Misuse): Promise<void>;
  /** The last first. */
  misusesOf(recordId: string): Promise<readonly NotedMisuse[]>;
  /** Ages at most `limit` records one step; how many it was. Never waits for, nor blocks, a claim. */
  reap(reaping: Reaping, limit: number): Promise<number>;
}

/** How a request used a key that was not its own. Names of fields only: no value was kept to compare with. */
export interface Misuse {
  readonly kind: 'command' | 'principal';
  /** Sorted. Empty when nobody can tell, or when so many ways were tried that the rest are counted together. */
  readonly fields: readonly string[];
}

export interface NotedMisuse extends Misuse {
  readonly times: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

/** So many different ways to misuse one key are told apart; whoever tries more is counted, not listed. */
export const maxMisuseKinds = 20;

/** The work that time brings: for the processes in the background, and for readers who would have it sooner. */
export interface DueQueue {
  /** Records whose owner was last believed alive longer ago than its lease. */
  expiredLeases(limit: number): Promise<OperationRecord[]>;
  /**
   * Takes unknown records whose check is due; for `holdMs` nobody else is given them. The check is counted, unless it was
   * brought forward and the scheduled one is still ahead. Each attempt is counted from nothing.
   */
  take(limit: number, holdMs: number): Promise<OperationRecord[]>;
  /**
   * When to look again by the schedule. After a check that was brought forward the scheduled one stays where it was: however
   * often somebody asks, the schedule goes on to its end. Whoever looked into an attempt that was superseded meanwhile
   * changes nothing.
   */
  postpone(looked: Looked, inMs: number): Promise<void>;
  /** No more automatic checks: a person has to look. False when that had been said before, or of another attempt. */
  escalate(looked: Looked): Promise<boolean>;
  /**
   * Somebody wants to know: a check is due now, unless the last one began less than `restMs` ago. It is an extra one, and
   * does not begin a schedule that is over. False: nothing was to be done.
   */
  hasten(id: string, restMs: number): Promise<boolean>;
  /**
   * Brings every check that is further away than a hold forward into the next `spreadMs`, as an extra one; how many. What is
   * nearer comes soon anyway, or is being made.
   */
  hurry(spreadMs: number, holdMs: number): Promise<number>;
}

export type Looked = Pick<OperationRecord, 'id' | 'attempt'>;

export interface BodyKeyRequest {
  readonly tenantId: string;
  readonly operation: string;
  readonly fingerprint: string;
  readonly windowMs: number;
}

/** Tells of records that were settled, by whichever process. */
export interface SettlementSignal {
  /** Once this has resolved, no settlement is missed: look at the record after it, not before. */
  watch(operationId: string): Promise<SettlementWatch>;
}

export interface SettlementWatch {
  /** Resolves true at the next change of the record's status, false when the time is over; rejects once closed. */
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

/** Keeps answers unreadable at rest. The record's id is bound in, so a body cannot be moved to another record. */
export interface AnswerCipher {
  seal(recordId: string, body: string): { keyId: string; body: Uint8Array };
  open(recordId: string, sealed: { keyId: string; body: Uint8Array }): string;
}

/** What the engine tells metrics and logs. No key, body or principal is in it. */
export type EngineEvent =
  /** Without an id when nobody was let near the record. */
  | ({ readonly kind: 'reserve'; readonly outcome: ReserveOutcome } & About<string | undefined>)
  /** How an owner ended its attempt; what ended otherwise is told by whoever ended it. */
  | ({ readonly kind: 'ended'; readonly as: Verdict<unknown, never>['kind']; readonly cause: string } & About)
  /** An owner was silent past its lease. */
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
