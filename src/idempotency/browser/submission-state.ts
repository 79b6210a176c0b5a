/**
 * One attempt at one thing, from the side of a page.
 *
 * - `restoring`: something was sent from this browser before; first the server is asked for its status.
 * - `ready`: nothing is under way; submitting sends.
 * - `sending`: a request is out. Submitting again does nothing: the response is coming.
 * - `waiting`: the last try got no response; the next one, with the same key, comes by itself. Submitting again, or
 *   `retryNow`, makes it come now, unless the server has said how long to wait.
 * - `checking`: the server does not know the outcome yet and finds out. Submitting again is safe and only asks sooner.
 * - `following`: another tab works on the same thing and publishes its state; should it be closed, this one continues.
 * - `done`: there is a definitive response.
 * - `refused`: certain that nothing happened, or that it cannot happen this way; the problem says why and what to do.
 * - `gave_up`: many tries got no response. Nothing is known to have failed; submitting continues with the same key.
 */
export type SubmissionState<Result> = BusyState | RestState<Result> | FollowingState;

/** A request is under way or will be sent by itself. */
export type BusyState =
  | { readonly kind: 'restoring'; readonly tries: number; readonly resumesAt?: number | undefined }
  /** From the second try on, with the reason for it. */
  | { readonly kind: 'sending'; readonly tries: number; readonly after?: WaitReason | undefined }
  | { readonly kind: 'waiting'; readonly tries: number; readonly why: WaitReason; readonly resumesAt: number }
  | { readonly kind: 'checking'; readonly operationId: string; readonly actionUrl?: string | undefined };

/** Where an attempt rests until the next submit. */
export type RestState<Result> =
  /** With `keySpent` when the key has ended and its response is no longer kept: the next command gets a new key. */
  | { readonly kind: 'ready'; readonly keySpent?: true }
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'refused'; readonly problem: RefusalProblem }
  | { readonly kind: 'gave_up'; readonly tries: number };

/** `there`: the other tab's state, once it was published. */
export type FollowingState = { readonly kind: 'following'; readonly there?: BusyState | undefined };

export type WaitReason = 'no_response' | 'in_progress' | 'unavailable';

export interface RefusalProblem {
  readonly code: string;
  readonly message: string;
  /** False when nothing can come of the key any more, because it belongs to another request or to the past: the next try gets a new one. */
  readonly keyUsable: boolean;
  /** What the server says to do about it. */
  readonly action?: string | undefined;
  readonly extensions: Readonly<Record<string, string | number | boolean>>;
}

/** The result of a request. The transport classifies it, and must call everything it is not sure of `lost`. */
export type SendResult<Result> =
  | { readonly kind: 'completed'; readonly result: Result }
  | { readonly kind: 'pending'; readonly operationId: string }
  | { readonly kind: 'in_progress'; readonly retryAfterMs: number }
  | { readonly kind: 'unavailable'; readonly retryAfterMs: number }
  | { readonly kind: 'refused'; readonly problem: RefusalProblem }
  | { readonly kind: 'lost' };

export type StatusResult<Result> =
  | { readonly kind: 'none' }
  | { readonly kind: 'running' }
  /** With an address when the server waits for the person: they have to go there before it can know. */
  | { readonly kind: 'unknown'; readonly operationId: string; readonly actionUrl?: string | undefined }
  | { readonly kind: 'completed'; readonly result: Result }
  /** It had no effect, and the same command may be sent again under the key. */
  | { readonly kind: 'released' }
  /** It ended so long ago that its response is no longer kept. Nothing is executed under this key any more. */
  | { readonly kind: 'over' }
  | { readonly kind: 'lost' };

/** The way to the server. */
export interface SubmissionTransport<Command, Result> {
  send(command: Command, key: string): Promise<SendResult<Result>>;
  ask(key: string): Promise<StatusResult<Result>>;
  /** Pushes the attempt's status as it changes, where that is possible. Returns how to stop it. */
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
