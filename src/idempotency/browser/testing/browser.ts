import { createKeyMemory } from '../key-memory.ts';
import { Submission } from '../submission.ts';
import type { SendResult, StatusResult, SubmissionState } from '../submission-state.ts';
import type { OpenChannel, TabMessage } from '../tab-channel.ts';
import type { TabLocks } from '../tab-locks.ts';

export type Command = { readonly card: string };

/** Something that is under way and happens when the test lets it. */
export interface Pending {
  readonly tab: FakeTab;
  readonly what: 'send' | 'ask' | 'pause' | 'message' | 'lock';
  readonly key?: string;
  readonly command?: Command;
  readonly ms?: number;
  /** With its result, where the test decides that. */
  happen(outcome?: SendResult<string> | StatusResult<string>): void;
}

export interface FakeTab {
  readonly name: string;
  readonly attempt: Submission<Command, string>;
  readonly state: SubmissionState<string>;
  /** The server pushes a status. */
  readonly push: (status: StatusResult<string>) => void;
  /** Whether it watches for pushed statuses at this moment. */
  readonly watching: boolean;
  /** As by closing the tab, or by a crash of it: nothing of it runs any more. */
  kill(): void;
}

/**
 * One browser: local storage that all tabs share, locks that are given back when a tab is gone, and messages between the
 * tabs. Nothing happens by itself: every response, pause, message and lock is a `Pending` until the test lets it happen.
 */
export class FakeBrowser {
  readonly storage = new Map<string, string>();
  readonly pending: Pending[] = [];
  readonly tabs: FakeTab[] = [];
  readonly sends: { tab: string; key: string; command: Command }[] = [];
  readonly mints: string[] = [];
  readonly #lockQueue: { tab: FakeTab; grant: () => void }[] = [];
  readonly #receivers = new Map<FakeTab, (message: TabMessage<string>) => void>();
  readonly #dead = new Set<FakeTab>();
  #holder: FakeTab | undefined;

  /** Opens a tab on a thing to be paid, and lets it begin. */
  open(scope = 'order-1'): FakeTab {
    const name = `tab ${this.tabs.length + 1}`;
    let onStatus: ((status: StatusResult<string>) => void) | undefined;
    let attempt: Submission<Command, string> | undefined;
    const tab: FakeTab = {
      name,
      get attempt() {
        if (!attempt) throw new Error('The tab is not open yet.');
        return attempt;
      },
      get state() {
        return this.attempt.state;
      },
      get watching() {
        return onStatus !== undefined;
      },
      push: (status) => onStatus?.(status),
      kill: () => this.#kill(tab),
    };
    this.tabs.push(tab);
    attempt = new Submission<Command, string>({
      scope,
      memory: createKeyMemory({
        getItem: (entry) => this.storage.get(entry) ?? null,
        setItem: (entry, value) => void this.storage.set(entry, value),
      }),
      locks: this.#locksOf(tab),
      openChannel: this.#channelOf(tab),
      transport: {
        send: (command, key) => {
          this.sends.push({ tab: name, key, command });
          return this.#later<SendResult<string>>(tab, 'send', { key, command });
        },
        ask: (key) => this.#later<StatusResult<string>>(tab, 'ask', { key }),
        watch: (_key, listener) => {
          onStatus = listener;
          return () => {
            onStatus = undefined;
          };
        },
      },
      clock: { now: () => 0, random: () => 1, pause: (ms) => this.#later<void>(tab, 'pause', { ms }) },
      mintKey: () => {
        const key = `key-${this.mints.length + 1}`;
        this.mints.push(key);
        return key;
      },
    });
    void attempt.restore();
    return tab;
  }

  remembered(scope = 'order-1'): { key: string; command: string | null; phase: string } {
    return JSON.parse(this.storage.get(`paidonce.attempt.${scope}`) ?? 'null');
  }

  find(what: Pending['what'], tab?: FakeTab): Pending | undefined {
    return this.pending.find((one) => one.what === what && (!tab || one.tab === tab));
  }

  /** Lets the first thing of a kind happen, and everything that follows from it at once. */
  async happen(
    what: Pending['what'],
    outcome?: SendResult<string> | StatusResult<string>,
    tab?: FakeTab,
  ): Promise<void> {
    await flushed();
    const one = this.find(what, tab);
    if (!one) throw new Error(`There is no ${what} under way${tab ? ` in ${tab.name}` : ''}.`);
    one.happen(outcome);
    await this.calm();
  }

  /** Locks and messages arrive in the order in which they were asked for; what is left waits for the server or for time. */
  async calm(): Promise<void> {
    await flushed();
    for (;;) {
      const one = this.pending.find(({ what }) => what === 'lock' || what === 'message');
      if (!one) return;
      one.happen();
      await flushed();
    }
  }

  #later<T>(tab: FakeTab, what: Pending['what'], about: Partial<Pending> = {}): Promise<T> {
    return new Promise((resolve) => {
      const one: Pending = {
        tab,
        what,
        ...about,
        happen: (outcome) => {
          this.pending.splice(this.pending.indexOf(one), 1);
          if (!this.#dead.has(tab)) resolve(outcome as T);
        },
      };
      if (!this.#dead.has(tab)) this.pending.push(one);
    });
  }

  #locksOf(tab: FakeTab): TabLocks {
    const held = new AbortController().signal;
    const work = async (task: (lost: AbortSignal) => Promise<void>) => {
      try {
        await task(held);
      } finally {
        if (this.#holder === tab) this.#release();
      }
    };
    return {
      tryHold: async (_name, task) => {
        await this.#later<void>(tab, 'lock');
        if (this.#holder) return false;
        this.#holder = tab;
        await work(task);
        return true;
      },
      hold: async (_name, signal, task) => {
        await new Promise<void>((grant, reject) => {
          this.#lockQueue.push({ tab, grant });
          signal.addEventListener('abort', () => {
            const place = this.#lockQueue.findIndex((one) => one.grant === grant);
            if (place >= 0) this.#lockQueue.splice(place, 1);
            reject(signal.reason);
          });
          if (!this.#holder) this.#release();
        });
        await work(task);
      },
    };
  }

  #release(): void {
    this.#holder = undefined;
    const next = this.#lockQueue.shift();
    if (!next) return;
    this.#holder = next.tab;
    void this.#later<void>(next.tab, 'lock').then(next.grant);
  }

  #channelOf(tab: FakeTab): OpenChannel {
    return (_scope, receive) => {
      this.#receivers.set(tab, receive as never);
      return {
        post: (message) => {
          for (const [other, deliver] of this.#receivers) {
            if (other !== tab) void this.#later<void>(other, 'message').then(() => deliver(message as never));
          }
        },
        close: () => void this.#receivers.delete(tab),
      };
    };
  }

  #kill(tab: FakeTab): void {
    this.#dead.add(tab);
    this.#receivers.delete(tab);
    this.tabs.splice(this.tabs.indexOf(tab), 1);
    for (const one of this.pending.filter((each) => each.tab === tab)) {
      this.pending.splice(this.pending.indexOf(one), 1);
    }
    const queued = this.#lockQueue.findIndex((one) => one.tab === tab);
    if (queued >= 0) this.#lockQueue.splice(queued, 1);
    if (this.#holder === tab) this.#release();
  }
}

/** Lets every promise that can resolve now, resolve. */
export const flushed = () => new Promise<void>((resolve) => setImmediate(resolve));
