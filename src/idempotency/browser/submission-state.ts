/**
 * One attempt at one thing, from the side of a page.
 *
 * - `restoring`: something was sent from this browser before; first the server is asked what became of it.
 * - `ready`: nothing is under way; submitting sends.
 * - `sending`: a request is out. Submitting again does nothing: the answer is coming.
 * - `waiting`: the last try brought no answer; the next one, with the same key, comes by itself. Submitting again, or
 *   `hurry`, makes it come now, unless the server has said how long to wait.
 * - `checking`: the server does not know the outcome yet and finds out. Submitting again is safe and only asks sooner.
 * - `following`: another tab is at work on the same thing. It tells how far it is; should it vanish, this one goes on.
 * - `done`: there is a definitive answer.
 * - `refused`: certain that nothing happened, or that it cannot happen this way; the problem says why and what to do.
 * - `gave_up`: many tries brought no answer. Nothing is known to have failed; submitting goes on with the same key.
 */
export type AttemptState<Answer> = BusyState | RestState<Answer> | FollowingState;

/** Somebody is at work. */
export type BusyState =
  | { readonly kind: 'restoring'; readonly tries: number; readonly resumesAt?: number | undefined }
  /** From the second try on, with what came of the one before. */
  | { readonly kind: 'sending'; readonly tries: number; readonly after?: WaitReason | undefined }
  | { readonly kind: 'waiting'; readonly tries: number; readonly why: WaitReason; readonly resumesAt: number }
  | { readonly kind: 'checking'; readonly operationId: string; readonly actionUrl?: string | undefined };

/** Where an attempt comes to rest until somebody submits. */
export type RestState<Answer> =
  /** With `keySpent` when something ended under the key, and nobody knows any more how: the next wish gets a new one. */
  | { readonly kind: 'ready'; readonly keySpent?: true }
  | { readonly kind: 'done'; readonly answer: Answer }
  | { readonly kind: 'refused'; readonly problem: RefusalProblem }
  | { readonly kind: 'gave_up'; readonly tries: number };

/** What the other tab is at, once it has said so. */
export type FollowingState = { readonly kind: 'following'; readonly there?: BusyState | undefined };

export type WaitReason = 'no_answer' | 'in_progress' | 'unavailable';

export interface RefusalProblem {
  readonly code: string;
  readonly message: string;
  /** False when nothing can come of the key any more, because it belongs to another request or to the past: the next try gets a new one. */
  readonly keyUsable: boolean;
  /** What the server says to do about it. */
  readonly action?: string | undefined;
  readonly extensions: Readonly<Record<string, string | number | boolean>>;
}

/** What a request came to. Only the transport knows how to tell; it must call everything it is not sure of `lost`. */
export type Sent<Answer> =
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'pending'; readonly operationId: string }
  | { readonly kind: 'in_progress'; readonly retryAfterMs: number }
  | { readonly kind: 'unavailable'; readonly retryAfterMs: number }
  | { readonly kind: 'refused'; readonly problem: RefusalProblem }
  | { readonly kind: 'lost' };

export type Asked<Answer> =
  | { readonly kind: 'none' }
  | { readonly kind: 'running' }
  /** With an address when the server waits for the person: they have to go there before it can know. */
  | { readonly kind: 'unknown'; readonly operationId: string; readonly actionUrl?: string | undefined }
  | { readonly kind: 'answered'; readonly answer: Answer }
  /** It had no effect, and the same command may be sent again under the key. */
  | { readonly kind: 'released' }
  /** It ended so long ago that its answer is no longer kept. Nothing is carried out under this key any more. */
  | { readonly kind: 'over' }
  | { readonly kind: 'lost' };

/** The way to the server. */
export interface AttemptTransport<Command, Answer> {
  send(command: Command, key: string): Promise<Sent<Answer>>;
  ask(key: string): Promise<Asked<Answer>>;
  /** Tells what becomes of the attempt as it happens; where it cannot, it is silent. Returns how to end it. */
  watch?(key: string, told: (asked: Asked<Answer>) => void): () => void;
}

/** The passing of time, for tests to hold in their hands. */
export interface AttemptClock {
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
  readonly random: () => number;
}

export function isAtRest<Answer>(state: AttemptState<Answer>): state is RestState<Answer> {
  return (
    state.kind === 'ready' || state.kind === 'done' || state.kind === 'refused' || state.kind === 'gave_up'
  );
}
