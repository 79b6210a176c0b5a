import {
  isCurrent,
  type KeyMemory,
  type PendingCommand,
  type RememberedKey,
  readCommand,
  stageAfter,
  writeCommand,
} from './key-memory.ts';
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
  /** What is to be done once; a key is shared by all submissions of the same scope. */
  readonly scope: string;
  readonly memory: KeyMemory;
  readonly locks: TabLocks;
  readonly openChannel: OpenChannel;
  readonly transport: SubmissionTransport<Command, Result>;
  readonly clock: SubmissionClock;
  readonly mintKey: () => string;
}

/**
 * One command on its way from one page, over all its retries.
 *
 * All tabs of a browser share the key of a scope. The tab that sends holds the tab lock from before it reads the memory
 * until it has written the result there, so one tab at a time mints, binds, sends and replaces keys, and never on the
 * basis of a stale read. The other tabs follow the state that the sending tab publishes, and wait for the lock. They get
 * it when the work has ended or the sending tab is gone, and the memory says which of the two happened.
 */
export class Submission<Command, Result> {
  readonly #parts: SubmissionParts<Command, Result>;
  readonly #channel: TabChannel<Result>;
  readonly #listeners = new Set<() => void>();
  readonly #disposal = new AbortController();
  #state: SubmissionState<Result> = { kind: 'restoring', tries: 0 };
  /** Set while this tab sends or reads the status. */
  #loop: RequestLoop<Command, Result> | undefined;
  /** This tab holds the tab lock or waits for it; a second click does not wait for it again. */
  #wantsLock = false;
  #pending: PendingCommand<Command> | undefined;

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

  /** The command that was sent under the key, unless it has ended definitively. */
  get sent(): Command | undefined {
    const remembered = this.#read();
    if (!remembered || remembered.command === null || remembered.stage === 'ended') return undefined;
    return readCommand(remembered.command) as Command;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Called when the page is gone: the lock is released at once, and later results are ignored. */
  dispose(): void {
    this.#disposal.abort(new Error('The page is gone.'));
    this.#channel.close();
  }

  /** Called after a load: continues the command that this page or another tab sent before. */
  async restore(): Promise<void> {
    await this.#runWithLock();
  }

  /** May be called any number of times: while a command is unresolved, only that command is sent. */
  async submit(command: Command): Promise<void> {
    if (this.#state.kind === 'done') return;
    if (!this.#wantsLock) {
      this.#pending = { command, remembered: this.#read() };
      return this.#runWithLock();
    }
    // The work has ended, and the lock is not released yet, or was not granted yet: the command is sent once it is.
    if (isAtRest(this.#state)) {
      this.#pending ??= { command, remembered: this.#read() };
      return;
    }
    // A command that is submitted before the memory was read is sent if it turns out that none was sent before.
    if (!this.#loop && this.#state.kind === 'restoring') this.#pending ??= { command, remembered: undefined };
    this.retryNow();
  }

  /** Ends a pause, in this tab or in the one that sends, and goes on with a command that was given up. */
  retryNow(): void {
    this.#loop?.retryNow();
    const sent = this.#state.kind === 'gave_up' ? this.sent : undefined;
    if (sent !== undefined) void this.submit(sent);
    if (this.#state.kind !== 'following' || this.#disposal.signal.aborted) return;
    this.#channel.post({ kind: 'retry_now' });
    void this.#readStatus();
  }

  /** After a definitive response: the next submit is a new command. */
  reset(): void {
    if (this.#state.kind === 'done') this.#enter({ kind: 'ready' });
  }

  async #runWithLock(): Promise<void> {
    if (this.#wantsLock) return;
    this.#wantsLock = true;
    try {
      await withTabLock({
        locks: this.#parts.locks,
        name: this.#parts.scope,
        disposed: this.#disposal.signal,
        onWait: () => this.#follow(),
        work: (signal) => this.#continue(signal),
      });
    } finally {
      this.#wantsLock = false;
    }
    // Submitted after the work had ended, and before the lock was released.
    if (this.#pending && !this.#disposal.signal.aborted) await this.#runWithLock();
  }

  /** Runs with the lock held: reads the memory again and decides by it what to do. */
  async #continue(signal: AbortSignal): Promise<void> {
    const pending = this.#pending;
    this.#pending = undefined;
    const remembered =
      this.#read() ?? this.#write({ key: this.#parts.mintKey(), command: null, stage: 'minted' });
    // The tab that sent the command is gone and has written no result.
    if (remembered.stage === 'unresolved') return this.#run(remembered, signal, (loop) => loop.resume());
    if (pending && isCurrent(pending, remembered)) {
      const bound = this.#bind(remembered, pending.command);
      return this.#run(bound, signal, (loop) => loop.send());
    }
    // There is nothing to send. A tab that was just opened, or that missed the last message, reads the status.
    if (isAtRest(this.#state)) return;
    if (remembered.command === null) return this.#enter({ kind: 'ready' });
    await this.#run(this.#write({ ...remembered, stage: 'unresolved' }), signal, (loop) => loop.resume());
  }

  async #run(
    entry: RememberedKey,
    signal: AbortSignal,
    start: (loop: RequestLoop<Command, Result>) => Promise<RestState<Result>>,
  ): Promise<void> {
    const { transport, clock } = this.#parts;
    const loop = new RequestLoop<Command, Result>({
      key: entry.key,
      command: readCommand(entry.command ?? '') as Command,
      transport: { ...transport, send: (command, key) => this.#sendCurrent(command, key) },
      clock,
      onState: (state) => this.#publish(state),
      signal,
    });
    this.#loop = loop;
    try {
      const rest = await start(loop);
      signal.throwIfAborted();
      this.#write({ ...entry, stage: stageAfter(rest) });
      this.#publish(rest);
    } finally {
      this.#loop = undefined;
    }
  }

  /** A lock that is only a lease can be lost: a key that another tab has replaced since is not sent. */
  async #sendCurrent(command: Command, key: string) {
    if (this.key !== key) throw new TabLockLost();
    return this.#parts.transport.send(command, key);
  }

  /** Binds a key to the command and writes that down before anything is sent. */
  #bind(remembered: RememberedKey, command: Command): RememberedKey {
    // The command that was given up may still take effect, so it is sent again unchanged, even if the form was edited.
    if (remembered.stage === 'given_up') return this.#write({ ...remembered, stage: 'unresolved' });
    const text = writeCommand(command);
    const usable =
      remembered.stage === 'minted' || (remembered.stage === 'released' && remembered.command === text);
    const key = usable ? remembered.key : this.#parts.mintKey();
    return this.#write({ key, command: text, stage: 'unresolved' });
  }

  #receive(message: TabMessage<Result>): void {
    if (this.#disposal.signal.aborted) return;
    switch (message.kind) {
      case 'retry_now':
        this.#loop?.retryNow();
        break;
      case 'state_request':
        if (this.#loop) this.#channel.post({ kind: 'state', state: this.#state });
        break;
      case 'state':
        // The tab that holds the lock ignores states that were published before it got the lock.
        if (!this.#loop) this.#adopt(message.state);
    }
  }

  #adopt(state: SubmissionState<Result>): void {
    if (isAtRest(state)) this.#enter(state);
    else if (state.kind !== 'following') {
      this.#enter({ kind: 'following', otherTab: state });
      void this.#runWithLock();
    }
  }

  #follow(): void {
    if (this.#state.kind === 'following') return;
    this.#enter({ kind: 'following' });
    this.#channel.post({ kind: 'state_request' });
  }

  /** A browser may freeze the sending tab, which then holds the lock for hours. Reading the status needs no lock. */
  async #readStatus(): Promise<void> {
    const key = this.key;
    if (key === undefined) return;
    const status = await this.#parts.transport.readStatus(key);
    if (status.kind !== 'completed' || this.#disposal.signal.aborted) return;
    if (this.#state.kind === 'following' && this.key === key)
      this.#enter({ kind: 'done', result: status.result });
  }

  #publish(state: SubmissionState<Result>): void {
    this.#enter(state);
    // Restoring concerns this tab only: a form that is being filled in in another tab stays as it is.
    if (state.kind !== 'restoring') this.#channel.post({ kind: 'state', state });
  }

  #enter(state: SubmissionState<Result>): void {
    if (this.#disposal.signal.aborted) return;
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }

  #read(): RememberedKey | undefined {
    return this.#parts.memory.read(this.#parts.scope);
  }

  #write(entry: RememberedKey): RememberedKey {
    this.#parts.memory.write(this.#parts.scope, entry);
    return entry;
  }
}
