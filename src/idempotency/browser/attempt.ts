import type { AttemptMemory } from './attempt-memory.ts';

/**
 * One attempt at one thing, from the side of the page.
 *
 * - `restoring`: the page was loaded while an attempt may be under way; first the server is asked what became of it.
 * - `ready`: nothing is under way; submitting sends.
 * - `sending`: a request is out. Submitting again does nothing: the answer is coming.
 * - `waiting`: the last try brought no answer; the next one, with the same key, comes by itself. Submitting again, or
 *   `hurry`, makes it come now, unless the server has said how long to wait.
 * - `checking`: the server does not know the outcome yet and finds out. Submitting again is safe and only asks sooner.
 * - `done`: there is a definitive answer.
 * - `refused`: certain that nothing happened, or that it cannot happen this way; the problem says why and what to do.
 * - `gave_up`: many tries brought no answer. Nothing is known to have failed; submitting goes on with the same key.
 */
export type AttemptState<Answer> =
  | { readonly kind: 'restoring' }
  | { readonly kind: 'ready' }
  | { readonly kind: 'sending'; readonly tries: number }
  | { readonly kind: 'waiting'; readonly tries: number; readonly why: WaitReason; readonly resumesAt: number }
  | { readonly kind: 'checking'; readonly operationId: string; readonly actionUrl?: string | undefined }
  | { readonly kind: 'done'; readonly answer: Answer }
  | { readonly kind: 'refused'; readonly problem: RefusalProblem }
  | { readonly kind: 'gave_up'; readonly tries: number };

export type WaitReason = 'no_answer' | 'in_progress' | 'unavailable';

export interface RefusalProblem {
  readonly code: string;
  readonly message: string;
  /** False when the key itself is spoilt, because it belongs to another request: the next try gets a new one. */
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
  | { readonly kind: 'released' }
  | { readonly kind: 'lost' };

export interface AttemptParts<Command, Answer> {
  readonly scope: string;
  readonly memory: AttemptMemory;
  send(command: Command, key: string): Promise<Sent<Answer>>;
  ask(key: string): Promise<Asked<Answer>>;
  readonly mintKey: () => string;
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
  readonly random: () => number;
}

/** Eight tries with doubling pauses span about a minute: longer than a lift or a tunnel, shorter than patience. */
const maxTries = 8;
const firstPauseMs = 500;
const longestPauseMs = 15_000;
/** How often the page asks about an unknown outcome. */
const checkPauseMs = 2_000;

export class Attempt<Command, Answer> {
  #state: AttemptState<Answer> = { kind: 'restoring' };
  #key: string;
  readonly #parts: AttemptParts<Command, Answer>;
  readonly #listeners = new Set<() => void>();
  /** One loop drives the attempt at a time; a second click finds it running. */
  #driving = false;
  /** Ends the pause the loop is in, where a pause may be ended early. */
  #endPause: (() => void) | undefined;
  #disposed = false;

  constructor(parts: AttemptParts<Command, Answer>) {
    this.#parts = parts;
    const remembered = parts.memory.read(parts.scope);
    this.#key = remembered?.key ?? this.#mint();
  }

  get state(): AttemptState<Answer> {
    return this.#state;
  }

  get key(): string {
    return this.#key;
  }

  /** What was sent under the key and has not ended definitively. */
  get sent(): Command | undefined {
    const remembered = this.#parts.memory.read(this.#parts.scope);
    if (!remembered || remembered.command === null) return undefined;
    return JSON.parse(remembered.command) as Command;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  dispose(): void {
    this.#disposed = true;
  }

  /** After a load: what became of what was sent from here before, by this page or another tab? */
  async restore(): Promise<void> {
    if (this.#driving || this.#state.kind !== 'restoring') return;
    const command = this.sent;
    if (command === undefined) return this.#enter({ kind: 'ready' });
    await this.#drive(async () => {
      const asked = await this.#parts.ask(this.#key);
      // Never arrived, or proven to have had no effect: the shopper decides whether to go on.
      if (asked.kind === 'none' || asked.kind === 'released') return this.#enter({ kind: 'ready' });
      if (asked.kind === 'answered') return this.#finish(asked.answer);
      if (asked.kind === 'unknown') return this.#check(asked.operationId, asked.actionUrl);
      await this.#sendUntilAnswered(command);
    });
  }

  /** As often as one likes: while an attempt is unresolved, only that attempt goes on. */
  async submit(command: Command): Promise<void> {
    if (this.#driving) return this.hurry();
    if (this.#state.kind === 'done') return;
    // What was given up on may still be under way: it goes on as it was sent, whatever the form says now.
    const unresolved = this.#state.kind === 'gave_up' ? this.sent : undefined;
    await this.#drive(() => this.#sendUntilAnswered(unresolved ?? this.#commit(command)));
  }

  /** Whoever has reason to believe that now is better than later. What the server asked to wait for is waited for. */
  hurry(): void {
    this.#endPause?.();
  }

  /** After a definitive end: the next submit is a new wish. */
  reset(): void {
    if (this.#driving) return;
    this.#mint();
    this.#enter({ kind: 'ready' });
  }

  async #drive(work: () => Promise<void>): Promise<void> {
    this.#driving = true;
    try {
      await work();
    } finally {
      this.#driving = false;
    }
  }

  async #sendUntilAnswered(command: Command): Promise<void> {
    for (let tries = 1; tries <= maxTries && !this.#disposed; tries++) {
      this.#enter({ kind: 'sending', tries });
      const sent = await this.#parts.send(command, this.#key);
      switch (sent.kind) {
        case 'answered':
          return this.#finish(sent.answer);
        case 'pending':
          return this.#check(sent.operationId);
        case 'refused':
          if (!sent.problem.keyUsable) this.#mint();
          return this.#enter({ kind: 'refused', problem: sent.problem });
        case 'in_progress':
          await this.#wait(tries, 'in_progress', sent.retryAfterMs);
          break;
        case 'unavailable':
          await this.#wait(tries, 'unavailable', Math.max(sent.retryAfterMs, this.#backOff(tries)));
          break;
        case 'lost':
          await this.#wait(tries, 'no_answer', this.#backOff(tries));
          break;
      }
    }
    this.#enter({ kind: 'gave_up', tries: maxTries });
  }

  /** Asks until there is a definitive word. There is no limit: an unknown never becomes a failure by waiting. */
  async #check(operationId: string, actionUrl?: string): Promise<void> {
    this.#enter({ kind: 'checking', operationId, actionUrl });
    while (!this.#disposed) {
      const asked = await this.#parts.ask(this.#key);
      if (asked.kind === 'answered') return this.#finish(asked.answer);
      if (asked.kind === 'released') return this.#enter({ kind: 'ready' });
      if (asked.kind === 'unknown') {
        this.#enter({ kind: 'checking', operationId, actionUrl: asked.actionUrl });
      }
      await this.#pauseUnlessHurried(checkPauseMs);
    }
  }

  async #wait(tries: number, why: WaitReason, ms: number): Promise<void> {
    this.#enter({ kind: 'waiting', tries, why, resumesAt: this.#parts.now() + ms });
    // Only our own guess at a good moment may be overruled; the other waits are the server's wish.
    await (why === 'no_answer' ? this.#pauseUnlessHurried(ms) : this.#parts.pause(ms));
  }

  async #pauseUnlessHurried(ms: number): Promise<void> {
    const hurried = new Promise<void>((resolve) => {
      this.#endPause = resolve;
    });
    await Promise.race([this.#parts.pause(ms), hurried]);
    this.#endPause = undefined;
  }

  /** Full jitter: a crowd that lost the same server must not come back in step. */
  #backOff(tries: number): number {
    const ceiling = Math.min(longestPauseMs, firstPauseMs * 2 ** (tries - 1));
    return ceiling / 2 + this.#parts.random() * (ceiling / 2);
  }

  /** The key is bound to what is sent under it, and that is written down before anything leaves. */
  #commit(command: Command): Command {
    const text = JSON.stringify(command);
    const remembered = this.#parts.memory.read(this.#parts.scope);
    if (remembered && remembered.command !== null && remembered.command !== text) this.#mint();
    this.#parts.memory.write(this.#parts.scope, { key: this.#key, command: text });
    return command;
  }

  /** The attempt ended: its key has done its work and must not be used for anything else. */
  #finish(answer: Answer): void {
    this.#mint();
    this.#enter({ kind: 'done', answer });
  }

  #mint(): string {
    this.#key = this.#parts.mintKey();
    this.#parts.memory.write(this.#parts.scope, { key: this.#key, command: null });
    return this.#key;
  }

  #enter(state: AttemptState<Answer>): void {
    if (this.#disposed) return;
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
