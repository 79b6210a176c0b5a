import { isSameKey, type KeyMemory, type KeyPhase, type RememberedKey } from './key-memory.ts';
import { RequestLoop } from './request-loop.ts';
import {
  isAtRest,
  type RestState,
  type SubmissionClock,
  type SubmissionState,
  type SubmissionTransport,
} from './submission-state.ts';
import type { OpenChannel, TabChannel, TabMessage } from './tab-channel.ts';
import type { TabLocks } from './tab-locks.ts';
import { TabLockLost, withTabLock } from './with-tab-lock.ts';

export interface SubmissionParts<Command, Result> {
  /** Names the thing to be done once. */
  readonly scope: string;
  readonly memory: KeyMemory;
  readonly locks: TabLocks;
  readonly openChannel: OpenChannel;
  readonly transport: SubmissionTransport<Command, Result>;
  readonly clock: SubmissionClock;
  readonly mintKey: () => string;
}

/** A command that was submitted, and what was remembered then; undefined if it came before the memory was read. */
interface Submitted<Command> {
  readonly command: Command;
  readonly remembered: RememberedKey | undefined;
}

/**
 * One tab's view of an attempt that all tabs of the browser share.
 *
 * The tab that works on the attempt holds its lock, from before the memory is read until the result is written there. So
 * keys are minted, bound to a command, sent and rotated by one tab at a time, and never from a stale read. The other tabs
 * follow the state that the working tab publishes, and wait for the lock: they get it when the work is over or the tab is
 * gone, and the memory says which of the two it was.
 */
export class Submission<Command, Result> {
  readonly #parts: SubmissionParts<Command, Result>;
  readonly #channel: TabChannel<Result>;
  readonly #listeners = new Set<() => void>();
  readonly #life = new AbortController();
  #state: SubmissionState<Result> = { kind: 'restoring', tries: 0 };
  /** Set while this tab is at work. */
  #loop: RequestLoop<Command, Result> | undefined;
  /** This tab has the lock or waits for it; a second click does not queue again. */
  #isQueued = false;
  #submitted: Submitted<Command> | undefined;

  constructor(parts: SubmissionParts<Command, Result>) {
    this.#parts = parts;
    this.#channel = parts.openChannel<Result>(parts.scope, (message) => this.#receive(message));
  }

  get state(): SubmissionState<Result> {
    return this.#state;
  }

  get key(): string | undefined {
    return this.#read()?.key;
  }

  /** What was sent under the key and has not ended definitively. */
  get sent(): Command | undefined {
    const remembered = this.#read();
    if (!remembered || remembered.command === null || remembered.phase === 'ended') return undefined;
    return JSON.parse(remembered.command) as Command;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The page is gone: the lock is released at once, and later results are ignored. */
  dispose(): void {
    this.#life.abort(new Error('The page is gone.'));
    this.#channel.close();
  }

  /** After a load: continues what was sent before, by this page or another tab. */
  async restore(): Promise<void> {
    await this.#runWithLock();
  }

  /** May be called any number of times: while an attempt is unresolved, only that attempt continues. */
  async submit(command: Command): Promise<void> {
    if (this.#state.kind === 'done') return;
    if (!this.#isQueued) {
      this.#submitted = { command, remembered: this.#read() };
      return this.#runWithLock();
    }
    // A submit before the memory was read counts if nothing turns out to be remembered.
    if (!this.#loop && this.#state.kind === 'restoring')
      this.#submitted ??= { command, remembered: undefined };
    this.retryNow();
  }

  /** Ends a pause, here or in the working tab. */
  retryNow(): void {
    this.#loop?.retryNow();
    if (this.#state.kind !== 'following' || this.#life.signal.aborted) return;
    this.#channel.post({ kind: 'retry_now' });
    void this.#readStatus();
  }

  /** After a definitive end: the next submit is a new command. */
  reset(): void {
    if (this.#state.kind === 'done') this.#enter({ kind: 'ready' });
  }

  async #runWithLock(): Promise<void> {
    if (this.#isQueued) return;
    this.#isQueued = true;
    try {
      await withTabLock({
        locks: this.#parts.locks,
        name: this.#parts.scope,
        life: this.#life.signal,
        wait: () => this.#follow(),
        work: (over) => this.#continue(over),
      });
    } finally {
      this.#isQueued = false;
    }
  }

  /** With the lock held: reads the memory again, and does what it requires. */
  async #continue(over: AbortSignal): Promise<void> {
    const submitted = this.#submitted;
    this.#submitted = undefined;
    const remembered =
      this.#read() ?? this.#write({ key: this.#parts.mintKey(), command: null, phase: 'minted' });
    // The tab that sent it is gone, and its result was never written.
    if (remembered.phase === 'open') return this.#run(remembered, over, (loop) => loop.resume());
    if (submitted && isCurrent(submitted, remembered)) {
      const bound = this.#commit(remembered, submitted.command);
      return this.#run(bound, over, (loop) => loop.send());
    }
    // Nothing is due. A tab that does not know the result, because it was just opened or missed the message, asks for it.
    if (isAtRest(this.#state)) return;
    if (remembered.command === null) return this.#enter({ kind: 'ready' });
    await this.#run(this.#write({ ...remembered, phase: 'open' }), over, (loop) => loop.resume());
  }

  async #run(
    attempt: RememberedKey,
    over: AbortSignal,
    go: (loop: RequestLoop<Command, Result>) => Promise<RestState<Result>>,
  ): Promise<void> {
    const { transport, clock } = this.#parts;
    const loop = new RequestLoop<Command, Result>({
      key: attempt.key,
      command: JSON.parse(attempt.command ?? 'null') as Command,
      transport: { ...transport, send: (command, key) => this.#sendOwn(command, key) },
      clock,
      enter: (state) => this.#publish(state),
      over,
    });
    this.#loop = loop;
    try {
      const rest = await go(loop);
      over.throwIfAborted();
      this.#write({ ...attempt, phase: phaseAfter(rest) });
      this.#publish(rest);
    } finally {
      this.#loop = undefined;
    }
  }

  /** Where the lock is only a lease it can be lost: a key that another tab has replaced meanwhile is not sent. */
  async #sendOwn(command: Command, key: string) {
    if (this.key !== key) throw new TabLockLost();
    return this.#parts.transport.send(command, key);
  }

  /** The key is bound to its command, and that is written before anything is sent. */
  #commit(remembered: RememberedKey, command: Command): RememberedKey {
    // What was given up may still be under way: it continues as it was sent, whatever the form contains now.
    if (remembered.phase === 'given_up') return this.#write({ ...remembered, phase: 'open' });
    const text = JSON.stringify(command);
    const fresh =
      remembered.phase === 'minted' || (remembered.phase === 'closed' && remembered.command === text);
    const key = fresh ? remembered.key : this.#parts.mintKey();
    return this.#write({ key, command: text, phase: 'open' });
  }

  #receive(message: TabMessage<Result>): void {
    if (this.#life.signal.aborted) return;
    switch (message.kind) {
      case 'retry_now':
        this.#loop?.retryNow();
        break;
      case 'state_request':
        if (this.#loop) this.#channel.post({ kind: 'state', state: this.#state });
        break;
      case 'state':
        // The tab that holds the lock ignores states published before it got the lock.
        if (!this.#loop) this.#adopt(message.state);
    }
  }

  #adopt(state: SubmissionState<Result>): void {
    if (isAtRest(state)) this.#enter(state);
    else if (state.kind !== 'following') {
      this.#enter({ kind: 'following', there: state });
      void this.#runWithLock();
    }
  }

  #follow(): void {
    if (this.#state.kind === 'following') return;
    this.#enter({ kind: 'following' });
    this.#channel.post({ kind: 'state_request' });
  }

  /** A working tab can be frozen by its browser and hold the lock for hours. Reading the status needs no lock. */
  async #readStatus(): Promise<void> {
    const key = this.key;
    if (key === undefined) return;
    const status = await this.#parts.transport.ask(key);
    if (status.kind !== 'completed' || this.#life.signal.aborted) return;
    if (this.#state.kind === 'following' && this.key === key)
      this.#enter({ kind: 'done', result: status.result });
  }

  #publish(state: SubmissionState<Result>): void {
    this.#enter(state);
    // Restoring concerns this tab only: a form that is being filled in elsewhere stays as it is.
    if (state.kind !== 'restoring') this.#channel.post({ kind: 'state', state });
  }

  #enter(state: SubmissionState<Result>): void {
    if (this.#life.signal.aborted) return;
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }

  #read(): RememberedKey | undefined {
    return this.#parts.memory.read(this.#parts.scope);
  }

  #write(attempt: RememberedKey): RememberedKey {
    this.#parts.memory.write(this.#parts.scope, attempt);
    return attempt;
  }
}

/** If another tab worked while this one waited for the lock, the submit was for an attempt that is over. */
function isCurrent<Command>(submitted: Submitted<Command>, now: RememberedKey): boolean {
  return submitted.remembered ? isSameKey(submitted.remembered, now) : now.phase === 'minted';
}

function phaseAfter<Result>(rest: RestState<Result>): KeyPhase {
  switch (rest.kind) {
    case 'done':
      return 'ended';
    case 'ready':
      return rest.keySpent ? 'ended' : 'closed';
    case 'refused':
      return rest.problem.keyUsable ? 'closed' : 'ended';
    case 'gave_up':
      return 'given_up';
  }
}
