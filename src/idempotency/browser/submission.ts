import type { AttemptChannel, News, OpenChannel } from './tab-channel.ts';
import type { AttemptLocks } from './tab-locks.ts';
import {
  type AttemptMemory,
  type AttemptPhase,
  isSameAttempt,
  type RememberedAttempt,
} from './key-memory.ts';
import {
  type AttemptClock,
  type AttemptState,
  type AttemptTransport,
  isAtRest,
  type RestState,
} from './submission-state.ts';
import { Drive } from './request-loop.ts';
import { TurnOver, takeTurn } from './with-tab-lock.ts';

export interface AttemptParts<Command, Answer> {
  /** Names the thing to be done once. */
  readonly scope: string;
  readonly memory: AttemptMemory;
  readonly locks: AttemptLocks;
  readonly openChannel: OpenChannel;
  readonly transport: AttemptTransport<Command, Answer>;
  readonly clock: AttemptClock;
  readonly mintKey: () => string;
}

/** What a person asked for, and what the memory said then; undefined if they were faster than the page. */
interface Wish<Command> {
  readonly command: Command;
  readonly seen: RememberedAttempt | undefined;
}

/**
 * One tab's view of an attempt that all tabs of the browser share.
 *
 * Whoever works on the attempt holds its lock, from before the memory is read until what came of it is written there. So
 * keys are minted, bound to a command, sent and rotated by one tab at a time, and never on the strength of an old look.
 * Everybody else follows what the tab at work says, and stands in line for the lock: it comes when the work is over, or
 * when the tab is gone, and the memory tells which of the two it was.
 */
export class Attempt<Command, Answer> {
  readonly #parts: AttemptParts<Command, Answer>;
  readonly #channel: AttemptChannel<Answer>;
  readonly #listeners = new Set<() => void>();
  readonly #life = new AbortController();
  #state: AttemptState<Answer> = { kind: 'restoring', tries: 0 };
  /** Set while this tab is at work. */
  #drive: Drive<Command, Answer> | undefined;
  /** This tab has the lock or stands in line for it; a second click finds it there. */
  #inLine = false;
  #wish: Wish<Command> | undefined;

  constructor(parts: AttemptParts<Command, Answer>) {
    this.#parts = parts;
    this.#channel = parts.openChannel<Answer>(parts.scope, (news) => this.#hear(news));
  }

  get state(): AttemptState<Answer> {
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

  /** The page is gone: the lock is given back at once, and whatever still comes is not listened to. */
  dispose(): void {
    this.#life.abort(new Error('The page is gone.'));
    this.#channel.close();
  }

  /** After a load: what became of what was sent from here before, by this page or another tab? */
  async restore(): Promise<void> {
    await this.#standInLine();
  }

  /** As often as one likes: while an attempt is unresolved, only that attempt goes on. */
  async submit(command: Command): Promise<void> {
    if (this.#state.kind === 'done') return;
    if (!this.#inLine) {
      this.#wish = { command, seen: this.#read() };
      return this.#standInLine();
    }
    // A tap in the first moments of the page is for a form that looks untouched, and counts if that turns out true.
    if (!this.#drive && this.#state.kind === 'restoring') this.#wish ??= { command, seen: undefined };
    this.hurry();
  }

  /** Ends a pause, here or in the tab at work. */
  hurry(): void {
    this.#drive?.hurry();
    if (this.#state.kind !== 'following' || this.#life.signal.aborted) return;
    this.#channel.post({ kind: 'hurry' });
    void this.#lookMyself();
  }

  /** After a definitive end: the next submit is a new wish. */
  reset(): void {
    if (this.#state.kind === 'done') this.#enter({ kind: 'ready' });
  }

  async #standInLine(): Promise<void> {
    if (this.#inLine) return;
    this.#inLine = true;
    try {
      await takeTurn({
        locks: this.#parts.locks,
        name: this.#parts.scope,
        life: this.#life.signal,
        wait: () => this.#follow(),
        work: (over) => this.#doWhatIsDue(over),
      });
    } finally {
      this.#inLine = false;
    }
  }

  /** With the lock held: reads the memory anew, and does what it says has to be done. */
  async #doWhatIsDue(over: AbortSignal): Promise<void> {
    const wish = this.#wish;
    this.#wish = undefined;
    const remembered =
      this.#read() ?? this.#write({ key: this.#parts.mintKey(), command: null, phase: 'minted' });
    // Whoever sent it is gone, and never said how it ended.
    if (remembered.phase === 'open') return this.#run(remembered, over, (drive) => drive.resume());
    if (wish && isStillMeant(wish, remembered)) {
      const bound = this.#commit(remembered, wish.command);
      return this.#run(bound, over, (drive) => drive.send());
    }
    // Nothing is due. A tab that does not know how it ended, because it has just come or missed the news, finds out.
    if (isAtRest(this.#state)) return;
    if (remembered.command === null) return this.#enter({ kind: 'ready' });
    await this.#run(this.#write({ ...remembered, phase: 'open' }), over, (drive) => drive.resume());
  }

  async #run(
    attempt: RememberedAttempt,
    over: AbortSignal,
    go: (drive: Drive<Command, Answer>) => Promise<RestState<Answer>>,
  ): Promise<void> {
    const { transport, clock } = this.#parts;
    const drive = new Drive<Command, Answer>({
      key: attempt.key,
      command: JSON.parse(attempt.command ?? 'null') as Command,
      transport: { ...transport, send: (command, key) => this.#sendOwn(command, key) },
      clock,
      enter: (state) => this.#tell(state),
      over,
    });
    this.#drive = drive;
    try {
      const rest = await go(drive);
      over.throwIfAborted();
      this.#write({ ...attempt, phase: phaseAfter(rest) });
      this.#tell(rest);
    } finally {
      this.#drive = undefined;
    }
  }

  /** A lock can be lost where it is only a lease: a key that another tab has replaced meanwhile is not sent under. */
  async #sendOwn(command: Command, key: string) {
    if (this.key !== key) throw new TurnOver();
    return this.#parts.transport.send(command, key);
  }

  /** The key is bound to what is sent under it, and that is written down before anything leaves. */
  #commit(remembered: RememberedAttempt, command: Command): RememberedAttempt {
    // What was given up on may still be under way: it goes on as it was sent, whatever the form says now.
    if (remembered.phase === 'given_up') return this.#write({ ...remembered, phase: 'open' });
    const text = JSON.stringify(command);
    const fresh =
      remembered.phase === 'minted' || (remembered.phase === 'closed' && remembered.command === text);
    const key = fresh ? remembered.key : this.#parts.mintKey();
    return this.#write({ key, command: text, phase: 'open' });
  }

  #hear(news: News<Answer>): void {
    if (this.#life.signal.aborted) return;
    switch (news.kind) {
      case 'hurry':
        this.#drive?.hurry();
        break;
      case 'who':
        if (this.#drive) this.#channel.post({ kind: 'state', state: this.#state });
        break;
      case 'state':
        // Whoever holds the lock knows better than what was said before.
        if (!this.#drive) this.#adopt(news.state);
    }
  }

  #adopt(state: AttemptState<Answer>): void {
    if (isAtRest(state)) this.#enter(state);
    else if (state.kind !== 'following') {
      this.#enter({ kind: 'following', there: state });
      void this.#standInLine();
    }
  }

  #follow(): void {
    if (this.#state.kind === 'following') return;
    this.#enter({ kind: 'following' });
    this.#channel.post({ kind: 'who' });
  }

  /** A tab at work can be frozen by its browser and hold the lock for hours. A question needs no lock. */
  async #lookMyself(): Promise<void> {
    const key = this.key;
    if (key === undefined) return;
    const asked = await this.#parts.transport.ask(key);
    if (asked.kind !== 'answered' || this.#life.signal.aborted) return;
    if (this.#state.kind === 'following' && this.key === key)
      this.#enter({ kind: 'done', answer: asked.answer });
  }

  #tell(state: AttemptState<Answer>): void {
    this.#enter(state);
    // A question about the past is nobody else's concern: a form that is being filled in elsewhere stays as it is.
    if (state.kind !== 'restoring') this.#channel.post({ kind: 'state', state });
  }

  #enter(state: AttemptState<Answer>): void {
    if (this.#life.signal.aborted) return;
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }

  #read(): RememberedAttempt | undefined {
    return this.#parts.memory.read(this.#parts.scope);
  }

  #write(attempt: RememberedAttempt): RememberedAttempt {
    this.#parts.memory.write(this.#parts.scope, attempt);
    return attempt;
  }
}

/** If another tab was at work while this one stood in line, the tap was for something that is over. */
function isStillMeant<Command>({ seen }: Wish<Command>, remembered: RememberedAttempt): boolean {
  return seen ? isSameAttempt(seen, remembered) : remembered.phase === 'minted';
}

function phaseAfter<Answer>(rest: RestState<Answer>): AttemptPhase {
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
