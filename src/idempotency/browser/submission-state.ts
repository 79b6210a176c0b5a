/**
 * The state of a submission: one command on its way from one page, over all its retries.
 *
 * - `restoring`: a command was sent from this browser before. The server is asked for its status first.
 * - `ready`: nothing is under way; submitting sends.
 * - `sending`: a request is in flight. Submitting again does nothing.
 * - `waiting`: the last try got no response. The next one is sent automatically, under the same key. Submitting again, or
 *   `retryNow`, sends it at once, unless the server has said how long to wait.
 * - `checking`: the outcome is unknown and the server is finding it out. Submitting again is safe and only reads the status
 *   sooner.
 * - `following`: another tab sends the command and publishes its state. If that tab is closed, this one continues.
 * - `done`: there is a definitive response.
 * - `refused`: the command had no effect, or can have none under this key. The problem says why and what to do.
 * - `gave_up`: many tries got no response. The outcome is not known; submitting continues under the same key.
 */
export type SubmissionState<Result> = BusyState | RestState<Result> | FollowingState;

/** A request is in flight or will be sent automatically. */
export type BusyState =
  | { readonly kind: 'restoring'; readonly tries: number; readonly resumesAt?: number | undefined }
  /** `after`: why the previous try was repeated; undefined in the first. */
  | { readonly kind: 'sending'; readonly tries: number; readonly after?: WaitReason | undefined }
  | { readonly kind: 'waiting'; readonly tries: number; readonly why: WaitReason; readonly resumesAt: number }
  | { readonly kind: 'checking'; readonly operationId: string; readonly actionUrl?: string | undefined };

/** Nothing is sent until the next submit. */
export type RestState<Result> =
  /**
   * `keySpent`: the operation has ended and its response is no longer kept, so the next command gets a new key.
   * `nothingHappened`: the command that was sent before is proven to have had no effect.
   * `notArrived`: the server does not know the command. It may still be on its way.
   */
  | {
      readonly kind: 'ready';
      readonly keySpent?: true;
      readonly nothingHappened?: true;
      readonly notArrived?: true;
    }
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'refused'; readonly problem: RefusalProblem }
  | { readonly kind: 'gave_up'; readonly tries: number };

/** `otherTab`: the state of the tab that is sending; undefined until that tab has published it. */
export type FollowingState = { readonly kind: 'following'; readonly otherTab?: BusyState | undefined };

export type WaitReason = 'no_response' | 'in_progress' | 'unavailable';

export interface RefusalProblem {
  readonly code: string;
  readonly message: string;
  /** False if the key belongs to another command or has expired: the next submit gets a new key. */
  readonly keyUsable: boolean;
  /** The server's advice. */
  readonly action?: string | undefined;
  readonly extensions: Readonly<Record<string, string | number | boolean>>;
}

/** The result of a request, as the transport classifies it. A request that may or may not have arrived is `lost`. */
export type SendResult<Result> =
  | { readonly kind: 'completed'; readonly result: Result }
  | { readonly kind: 'pending'; readonly operationId: string }
  | { readonly kind: 'in_progress'; readonly retryAfterMs: number }
  | { readonly kind: 'unavailable'; readonly retryAfterMs: number }
  | { readonly kind: 'refused'; readonly problem: RefusalProblem }
  | LostResult;

/** `neverLeft`: the device was offline all the while, so nothing was sent. */
export interface LostResult {
  readonly kind: 'lost';
  readonly neverLeft?: true;
}

/** The status of the operation under a key. `lost`: the status could not be read. */
export type StatusResult<Result> =
  | { readonly kind: 'none' }
  | { readonly kind: 'in_progress' }
  /** `actionUrl`: the outcome depends on something that the person has to do at this address. */
  | { readonly kind: 'unknown'; readonly operationId: string; readonly actionUrl?: string | undefined }
  | { readonly kind: 'completed'; readonly result: Result }
  /** Nothing happened, and the same command may be sent again under the key. */
  | { readonly kind: 'released' }
  /** The operation ended and its response is no longer kept. Nothing is executed under this key any more. */
  | { readonly kind: 'expired' }
  | LostResult;

/** How a submission is sent and its status read. */
export interface SubmissionTransport<Command, Result> {
  send(command: Command, key: string): Promise<SendResult<Result>>;
  readStatus(key: string): Promise<StatusResult<Result>>;
  /** Reports every change of the operation's status, where the server can push it. Returns a function that stops it. */
  watch?(key: string, onStatus: (status: StatusResult<Result>) => void): () => void;
}

/** Injected, so that tests control time. */
export interface SubmissionClock {
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
  readonly random: () => number;
}

export function isAtRest<Result>(state: SubmissionState<Result>): state is RestState<Result> {
  return (
    state.kind === 'ready' || state.kind === 'done' || state.kind === 'refused' || state.kind === 'gave_up'
  );
}
