import type {
  Asked,
  AttemptClock,
  AttemptTransport,
  BusyState,
  RestState,
  WaitReason,
} from './submission-state.ts';

/** Eight tries with doubling pauses span about a minute: longer than a lift or a tunnel, shorter than patience. */
export const maxTries = 8;
const firstPauseMs = 500;
const longestPauseMs = 15_000;
/** How soon the page asks about an unknown outcome. It is told by `watch` as a rule; asking is for where that fails. */
const firstCheckMs = 2_000;
const longestCheckMs = 20_000;
/** A question may overtake the request it is about: "never heard of it" is believed the second time. */
const overtakenMs = 1_000;

export interface DriveParts<Command, Answer> {
  readonly key: string;
  readonly command: Command;
  readonly transport: AttemptTransport<Command, Answer>;
  readonly clock: AttemptClock;
  enter(state: BusyState): void;
  /** The turn is over: whoever drove leaves everything as it is. */
  readonly over: AbortSignal;
}

/**
 * Goes on with one command under one key until it comes to rest. It knows neither memory nor tabs; whoever drives has
 * seen to it that nobody else does.
 */
export class Drive<Command, Answer> {
  readonly #parts: DriveParts<Command, Answer>;
  /** Ends the pause that is under way, where a pause may be ended early. */
  #endPause: (() => void) | undefined;

  constructor(parts: DriveParts<Command, Answer>) {
    this.#parts = parts;
  }

  /** Whoever has reason to believe that now is better than later. What the server asked to wait for is waited for. */
  hurry(): void {
    this.#endPause?.();
  }

  async send(): Promise<RestState<Answer>> {
    const { command, key, transport } = this.#parts;
    let after: WaitReason | undefined;
    for (let tries = 1; tries <= maxTries; tries++) {
      this.#parts.enter({ kind: 'sending', tries, after });
      const sent = await this.#unlessOver(transport.send(command, key));
      switch (sent.kind) {
        case 'answered':
          return { kind: 'done', answer: sent.answer };
        case 'pending':
          return this.#check(sent.operationId);
        case 'refused':
          return { kind: 'refused', problem: sent.problem };
        case 'in_progress':
          after = await this.#wait(tries, 'in_progress', sent.retryAfterMs);
          // It was heard and is being carried out: that is no try in vain.
          tries -= 1;
          break;
        case 'unavailable':
          after = await this.#wait(tries, 'unavailable', Math.max(sent.retryAfterMs, this.#backOff(tries)));
          break;
        case 'lost':
          after = await this.#wait(tries, 'no_answer', this.#backOff(tries));
          break;
      }
    }
    return { kind: 'gave_up', tries: maxTries };
  }

  /** First asks what became of it, and goes on from there. What never arrived is the person's to send again. */
  async resume(): Promise<RestState<Answer>> {
    const { key, transport, clock } = this.#parts;
    let unheardOf = false;
    for (let tries = 1; tries <= maxTries; ) {
      this.#parts.enter({ kind: 'restoring', tries });
      const asked = await this.#unlessOver(transport.ask(key));
      switch (asked.kind) {
        case 'answered':
          return { kind: 'done', answer: asked.answer };
        case 'released':
          return { kind: 'ready' };
        case 'over':
          return { kind: 'ready', keySpent: true };
        case 'unknown':
          return this.#check(asked.operationId, asked.actionUrl);
        case 'running':
          return this.send();
        case 'none':
          if (unheardOf) return { kind: 'ready' };
          unheardOf = true;
          await this.#unlessOver(clock.pause(overtakenMs));
          break;
        case 'lost': {
          const ms = this.#backOff(tries);
          this.#parts.enter({ kind: 'restoring', tries, resumesAt: clock.now() + ms });
          await this.#pause(ms);
          tries += 1;
          break;
        }
      }
    }
    return { kind: 'gave_up', tries: maxTries };
  }

  /** Waits for a definitive word. There is no limit: an unknown never becomes a failure by waiting. */
  async #check(operationId: string, actionUrl?: string): Promise<RestState<Answer>> {
    const { key, transport } = this.#parts;
    this.#parts.enter({ kind: 'checking', operationId, actionUrl });
    const told = new LatestWord<Asked<Answer>>();
    const stop = transport.watch?.(key, (asked) => {
      told.put(asked);
      this.hurry();
    });
    try {
      for (let ms = firstCheckMs; ; ms = Math.min(longestCheckMs, ms * 1.5)) {
        const asked = await this.#unlessOver(told.takeOr(() => transport.ask(key)));
        if (asked.kind === 'answered') return { kind: 'done', answer: asked.answer };
        if (asked.kind === 'released') return { kind: 'ready' };
        if (asked.kind === 'over') return { kind: 'ready', keySpent: true };
        if (asked.kind === 'unknown') {
          this.#parts.enter({ kind: 'checking', operationId, actionUrl: asked.actionUrl });
        }
        if (!told.isThere) await this.#pause(ms);
      }
    } finally {
      stop?.();
    }
  }

  async #wait(tries: number, why: WaitReason, ms: number): Promise<WaitReason> {
    const { clock } = this.#parts;
    this.#parts.enter({ kind: 'waiting', tries, why, resumesAt: clock.now() + ms });
    // Only our own guess at a good moment may be overruled; the other waits are the server's wish.
    await (why === 'no_answer' ? this.#pause(ms) : this.#unlessOver(clock.pause(ms)));
    return why;
  }

  async #pause(ms: number): Promise<void> {
    const hurried = new Promise<void>((resolve) => {
      this.#endPause = resolve;
    });
    try {
      await this.#unlessOver(Promise.race([this.#parts.clock.pause(ms), hurried]));
    } finally {
      this.#endPause = undefined;
    }
  }

  /** Full jitter above a half: a crowd that lost the same server must not come back in step. */
  #backOff(tries: number): number {
    const ceiling = Math.min(longestPauseMs, firstPauseMs * 2 ** (tries - 1));
    return ceiling / 2 + this.#parts.clock.random() * (ceiling / 2);
  }

  /** What comes after the turn is over is not listened to: the key may be somebody else's by then. */
  async #unlessOver<T>(promise: Promise<T>): Promise<T> {
    const { over } = this.#parts;
    over.throwIfAborted();
    let leave: (() => void) | undefined;
    const left = new Promise<never>((_, reject) => {
      leave = () => reject(over.reason);
      over.addEventListener('abort', leave);
    });
    try {
      return await Promise.race([promise, left]);
    } finally {
      if (leave) over.removeEventListener('abort', leave);
    }
  }
}

/** Holds what was said last until somebody takes it. An older word is worth nothing beside a newer one. */
class LatestWord<T> {
  #word: { readonly said: T } | undefined;
  #arrived: (() => void) | undefined;

  get isThere(): boolean {
    return this.#word !== undefined;
  }

  put(said: T): void {
    this.#word = { said };
    this.#arrived?.();
  }

  /** The word that is there, or else the answer, unless a word comes before it: a question that hangs holds nothing up. */
  async takeOr(ask: () => Promise<T>): Promise<T> {
    const arrival = new Promise<void>((resolve) => {
      this.#arrived = resolve;
    });
    const answer = this.#word ? undefined : await Promise.race([ask(), arrival]);
    const said = this.#word?.said ?? (answer as T);
    this.#word = undefined;
    return said;
  }
}
