import type {
  BusyState,
  RestState,
  StatusResult,
  SubmissionClock,
  SubmissionTransport,
  WaitReason,
} from './submission-state.ts';

/** Eight tries with doubling pauses span about a minute: longer than a lift or a tunnel, shorter than a shopper waits. */
export const maxTries = 8;
const firstPauseMs = 500;
const longestPauseMs = 15_000;
/** How soon the page asks about an unknown outcome. As a rule `watch` pushes it; asking is for where that fails. */
const firstCheckMs = 2_000;
const longestCheckMs = 20_000;
/** A status read may overtake the request it is about: "none" counts the second time. */
const recheckMs = 1_000;

export interface RequestLoopParts<Command, Result> {
  readonly key: string;
  readonly command: Command;
  readonly transport: SubmissionTransport<Command, Result>;
  readonly clock: SubmissionClock;
  enter(state: BusyState): void;
  /** Aborted when the lock is lost or the page is gone: the loop stops and changes nothing more. */
  readonly over: AbortSignal;
}

/**
 * Sends one command under one key until it rests. It knows neither memory nor tabs; the caller holds the lock, so that no
 * other tab sends at the same time.
 */
export class RequestLoop<Command, Result> {
  readonly #parts: RequestLoopParts<Command, Result>;
  /** Ends the pause that is under way, where a pause may be ended early. */
  #endPause: (() => void) | undefined;

  constructor(parts: RequestLoopParts<Command, Result>) {
    this.#parts = parts;
  }

  /** Ends a pause early. A wait that the server asked for is not shortened. */
  retryNow(): void {
    this.#endPause?.();
  }

  async send(): Promise<RestState<Result>> {
    const { command, key, transport } = this.#parts;
    let after: WaitReason | undefined;
    for (let tries = 1; tries <= maxTries; tries++) {
      this.#parts.enter({ kind: 'sending', tries, after });
      const sent = await this.#unlessOver(transport.send(command, key));
      switch (sent.kind) {
        case 'completed':
          return { kind: 'done', result: sent.result };
        case 'pending':
          return this.#check(sent.operationId);
        case 'refused':
          return { kind: 'refused', problem: sent.problem };
        case 'in_progress':
          after = await this.#wait(tries, 'in_progress', sent.retryAfterMs);
          // The request arrived and is being executed: that is not a failed try.
          tries -= 1;
          break;
        case 'unavailable':
          after = await this.#wait(tries, 'unavailable', Math.max(sent.retryAfterMs, this.#backOff(tries)));
          break;
        case 'lost':
          after = await this.#wait(tries, 'no_response', this.#backOff(tries));
          break;
      }
    }
    return { kind: 'gave_up', tries: maxTries };
  }

  /** First reads the status, and continues from there. A command that never arrived is sent again only by a submit. */
  async resume(): Promise<RestState<Result>> {
    const { key, transport, clock } = this.#parts;
    let wasNone = false;
    for (let tries = 1; tries <= maxTries; ) {
      this.#parts.enter({ kind: 'restoring', tries });
      const status = await this.#unlessOver(transport.ask(key));
      switch (status.kind) {
        case 'completed':
          return { kind: 'done', result: status.result };
        case 'released':
          return { kind: 'ready' };
        case 'over':
          return { kind: 'ready', keySpent: true };
        case 'unknown':
          return this.#check(status.operationId, status.actionUrl);
        case 'running':
          return this.send();
        case 'none':
          if (wasNone) return { kind: 'ready' };
          wasNone = true;
          await this.#unlessOver(clock.pause(recheckMs));
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

  /** Waits for a definitive status. There is no limit: an unknown outcome never becomes a failure by waiting. */
  async #check(operationId: string, actionUrl?: string): Promise<RestState<Result>> {
    const { key, transport } = this.#parts;
    this.#parts.enter({ kind: 'checking', operationId, actionUrl });
    const pushed = new LatestStatus<StatusResult<Result>>();
    const stop = transport.watch?.(key, (status) => {
      pushed.put(status);
      this.retryNow();
    });
    try {
      for (let ms = firstCheckMs; ; ms = Math.min(longestCheckMs, ms * 1.5)) {
        const status = await this.#unlessOver(pushed.takeOr(() => transport.ask(key)));
        if (status.kind === 'completed') return { kind: 'done', result: status.result };
        if (status.kind === 'released') return { kind: 'ready' };
        if (status.kind === 'over') return { kind: 'ready', keySpent: true };
        if (status.kind === 'unknown') {
          this.#parts.enter({ kind: 'checking', operationId, actionUrl: status.actionUrl });
        }
        if (!pushed.isThere) await this.#pause(ms);
      }
    } finally {
      stop?.();
    }
  }

  async #wait(tries: number, why: WaitReason, ms: number): Promise<WaitReason> {
    const { clock } = this.#parts;
    this.#parts.enter({ kind: 'waiting', tries, why, resumesAt: clock.now() + ms });
    // Only our own back-off may be ended early; the other waits were asked for by the server.
    await (why === 'no_response' ? this.#pause(ms) : this.#unlessOver(clock.pause(ms)));
    return why;
  }

  async #pause(ms: number): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      this.#endPause = resolve;
    });
    try {
      await this.#unlessOver(Promise.race([this.#parts.clock.pause(ms), ended]));
    } finally {
      this.#endPause = undefined;
    }
  }

  /** Full jitter above a half: clients that lost the same server must not retry in step. */
  #backOff(tries: number): number {
    const ceiling = Math.min(longestPauseMs, firstPauseMs * 2 ** (tries - 1));
    return ceiling / 2 + this.#parts.clock.random() * (ceiling / 2);
  }

  /** Results that come after `over` are ignored: another tab may have replaced the key by then. */
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

/** Holds the last pushed status until it is taken; a newer one replaces an older one. */
class LatestStatus<T> {
  #latest: { readonly status: T } | undefined;
  #arrived: (() => void) | undefined;

  get isThere(): boolean {
    return this.#latest !== undefined;
  }

  put(status: T): void {
    this.#latest = { status };
    this.#arrived?.();
  }

  /** The pushed status, or else the one that is read, whichever comes first: a read that hangs delays nothing. */
  async takeOr(ask: () => Promise<T>): Promise<T> {
    const arrival = new Promise<void>((resolve) => {
      this.#arrived = resolve;
    });
    const result = this.#latest ? undefined : await Promise.race([ask(), arrival]);
    const status = this.#latest?.status ?? (result as T);
    this.#latest = undefined;
    return status;
  }
}
