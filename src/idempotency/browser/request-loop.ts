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
/** How soon the status of an unknown outcome is read. As a rule `watch` pushes it; reads are for where that fails. */
const firstReadMs = 2_000;
const longestReadMs = 20_000;
/** A status read may overtake the request it is about, so `none` counts only when it is read twice. */
const secondReadMs = 1_000;

export interface RequestLoopParts<Command, Result> {
  readonly key: string;
  readonly command: Command;
  readonly transport: SubmissionTransport<Command, Result>;
  readonly clock: SubmissionClock;
  onState(state: BusyState): void;
  /** Aborted when the tab lock is lost or the page is gone: the loop ends and calls `onState` no more. */
  readonly signal: AbortSignal;
}

/**
 * Sends one command under one key until it comes to rest. The caller holds the tab lock, so that no other tab sends at the
 * same time; the loop itself knows nothing of tabs or of stored keys.
 */
export class RequestLoop<Command, Result> {
  readonly #parts: RequestLoopParts<Command, Result>;
  /** Set during a pause that may be ended early. */
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
    let neverLeft = 0;
    for (let tries = 1; tries <= maxTries; tries++) {
      this.#parts.onState({ kind: 'sending', tries, after });
      const sent = await this.#unlessAborted(transport.send(command, key));
      switch (sent.kind) {
        case 'completed':
          return { kind: 'done', result: sent.result };
        case 'pending':
          return this.#awaitOutcome(sent.operationId);
        case 'refused':
          return { kind: 'refused', problem: sent.problem };
        case 'in_progress':
          after = await this.#wait(tries, 'in_progress', sent.retryAfterMs);
          // The request arrived and is being executed, so it does not count as a failed try.
          tries -= 1;
          break;
        case 'unavailable':
          after = await this.#wait(tries, 'unavailable', Math.max(sent.retryAfterMs, this.#backOff(tries)));
          break;
        case 'lost':
          if (sent.neverLeft) neverLeft += 1;
          after = await this.#wait(tries, 'no_response', this.#backOff(tries + neverLeft));
          // What never left is no try: a device that is offline for an hour goes on when it is online again.
          if (sent.neverLeft) tries -= 1;
          break;
      }
    }
    return { kind: 'gave_up', tries: maxTries };
  }

  /** Reads the status and continues from there. A command that never arrived is sent again only by another submit. */
  async resume(): Promise<RestState<Result>> {
    const { key, transport, clock } = this.#parts;
    let wasNone = false;
    let neverLeft = 0;
    for (let tries = 1; tries <= maxTries; ) {
      this.#parts.onState({ kind: 'restoring', tries });
      const status = await this.#unlessAborted(transport.readStatus(key));
      switch (status.kind) {
        case 'completed':
          return { kind: 'done', result: status.result };
        case 'released':
          return { kind: 'ready', nothingHappened: true };
        case 'expired':
          return { kind: 'ready', keySpent: true };
        case 'unknown':
          return this.#awaitOutcome(status.operationId, status.actionUrl);
        case 'in_progress':
          return this.send();
        case 'none':
          if (wasNone) return { kind: 'ready', notArrived: true };
          wasNone = true;
          await this.#unlessAborted(clock.pause(secondReadMs));
          break;
        case 'lost': {
          if (status.neverLeft) neverLeft += 1;
          const ms = this.#backOff(tries + neverLeft);
          this.#parts.onState({ kind: 'restoring', tries, resumesAt: clock.now() + ms });
          await this.#pause(ms);
          if (!status.neverLeft) tries += 1;
          break;
        }
      }
    }
    return { kind: 'gave_up', tries: maxTries };
  }

  /** Waits for a definitive status, without a limit: time alone never makes an unknown outcome a failure. */
  async #awaitOutcome(operationId: string, actionUrl?: string): Promise<RestState<Result>> {
    const { key, transport } = this.#parts;
    this.#parts.onState({ kind: 'checking', operationId, actionUrl });
    const pushed = new LatestStatus<StatusResult<Result>>();
    const stop = transport.watch?.(key, (status) => {
      pushed.put(status);
      this.retryNow();
    });
    try {
      for (let ms = firstReadMs; ; ms = Math.min(longestReadMs, ms * 1.5)) {
        const status = await this.#unlessAborted(pushed.takeOr(() => transport.readStatus(key)));
        if (status.kind === 'completed') return { kind: 'done', result: status.result };
        if (status.kind === 'released') return { kind: 'ready', nothingHappened: true };
        if (status.kind === 'expired') return { kind: 'ready', keySpent: true };
        if (status.kind === 'unknown') {
          this.#parts.onState({ kind: 'checking', operationId, actionUrl: status.actionUrl });
        }
        if (!pushed.isPresent) await this.#pause(ms);
      }
    } finally {
      stop?.();
    }
  }

  async #wait(tries: number, why: WaitReason, ms: number): Promise<WaitReason> {
    const { clock } = this.#parts;
    this.#parts.onState({ kind: 'waiting', tries, why, resumesAt: clock.now() + ms });
    // Only our own back-off may be ended early; the server asked for the other waits.
    await (why === 'no_response' ? this.#pause(ms) : this.#unlessAborted(clock.pause(ms)));
    return why;
  }

  async #pause(ms: number): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      this.#endPause = resolve;
    });
    try {
      await this.#unlessAborted(Promise.race([this.#parts.clock.pause(ms), ended]));
    } finally {
      this.#endPause = undefined;
    }
  }

  /** Half of the pause is random, so that clients that lost the same server do not retry at the same time. */
  #backOff(tries: number): number {
    const ceiling = Math.min(longestPauseMs, firstPauseMs * 2 ** (tries - 1));
    return ceiling / 2 + this.#parts.clock.random() * (ceiling / 2);
  }

  /** A result that comes after the abort is ignored: another tab may have replaced the key by then. */
  async #unlessAborted<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this.#parts;
    signal.throwIfAborted();
    let onAbort = () => {};
    const aborted = new Promise<never>((_, reject) => {
      onAbort = () => reject(signal.reason);
    });
    signal.addEventListener('abort', onAbort);
    try {
      return await Promise.race([promise, aborted]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }
}

/** Holds the last pushed status until it is taken; a newer one replaces an older one. */
class LatestStatus<T> {
  #latest: { readonly status: T } | undefined;
  #arrived: (() => void) | undefined;

  get isPresent(): boolean {
    return this.#latest !== undefined;
  }

  put(status: T): void {
    this.#latest = { status };
    this.#arrived?.();
  }

  /** Takes the pushed status, or reads it, whichever comes first: a read that hangs delays nothing. */
  async takeOr(read: () => Promise<T>): Promise<T> {
    const arrival = new Promise<void>((resolve) => {
      this.#arrived = resolve;
    });
    const result = this.#latest ? undefined : await Promise.race([read(), arrival]);
    const status = this.#latest?.status ?? (result as T);
    this.#latest = undefined;
    return status;
  }
}
