import { Attempt } from '../submission.ts';
import type { News, OpenChannel } from '../tab-channel.ts';
import type { AttemptLocks } from '../tab-locks.ts';
import { createAttemptMemory } from '../key-memory.ts';
import type { Asked, AttemptState, Sent } from '../submission-state.ts';

export type Command = { readonly card: string };

/** Something that is under way and happens when the test says so. */
export interface Pending {
  readonly tab: FakeTab;
  readonly what: 'send' | 'ask' | 'pause' | 'news' | 'lock';
  readonly key?: string;
  readonly command?: Command;
  readonly ms?: number;
  /** With what it came to, where that is the test's to say. */
  happen(outcome?: Sent<string> | Asked<string>): void;
}

export interface FakeTab {
  readonly name: string;
  readonly attempt: Attempt<Command, string>;
  readonly state: AttemptState<string>;
  readonly tell: (asked: Asked<string>) => void;
  /** Whether it listens to the server's live word at this moment. */
  readonly watching: boolean;
  /** As by closing the tab, or by a crash of it: nothing of it runs any more. */
  kill(): void;
}

/**
 * One browser: local storage that all tabs share, locks that are given back when a tab is gone, and messages between the
 * tabs. Nothing happens by itself: every answer, pause, message and turn is a `Pending` until the test lets it happen.
 */
export class FakeBrowser {
  readonly storage = new Map<string, string>();
  readonly pending: Pending[] = [];
  readonly tabs: FakeTab[] = [];
  readonly sends: { tab: string; key: string; command: Command }[] = [];
  readonly mints: string[] = [];
  readonly #line: { tab: FakeTab; grant: () => void }[] = [];
  readonly #ears = new Map<FakeTab, (news: News<string>) => void>();
  readonly #dead = new Set<FakeTab>();
  #holder: FakeTab | undefined;

  /** Opens a tab on a thing to be paid, and lets it begin. */
  open(scope = 'order-1'): FakeTab {
    const name = `tab ${this.tabs.length + 1}`;
    let told: ((asked: Asked<string>) => void) | undefined;
    let attempt: Attempt<Command, string> | undefined;
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
        return told !== undefined;
      },
      tell: (asked) => told?.(asked),
      kill: () => this.#kill(tab),
    };
    this.tabs.push(tab);
    attempt = new Attempt<Command, string>({
      scope,
      memory: createAttemptMemory({
        getItem: (entry) => this.storage.get(entry) ?? null,
        setItem: (entry, value) => void this.storage.set(entry, value),
      }),
      locks: this.#locksOf(tab),
      openChannel: this.#channelOf(tab),
      transport: {
        send: (command, key) => {
          this.sends.push({ tab: name, key, command });
          return this.#later<Sent<string>>(tab, 'send', { key, command });
        },
        ask: (key) => this.#later<Asked<string>>(tab, 'ask', { key }),
        watch: (_key, listener) => {
          told = listener;
          return () => {
            told = undefined;
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
  async happen(what: Pending['what'], outcome?: Sent<string> | Asked<string>, tab?: FakeTab): Promise<void> {
    await settled();
    const one = this.find(what, tab);
    if (!one) throw new Error(`There is no ${what} under way${tab ? ` in ${tab.name}` : ''}.`);
    one.happen(outcome);
    await this.calm();
  }

  /** Locks and messages arrive in the order in which they were asked for; what is left waits for the server or for time. */
  async calm(): Promise<void> {
    await settled();
    for (;;) {
      const one = this.pending.find(({ what }) => what === 'lock' || what === 'news');
      if (!one) return;
      one.happen();
      await settled();
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

  #locksOf(tab: FakeTab): AttemptLocks {
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
          this.#line.push({ tab, grant });
          signal.addEventListener('abort', () => {
            const place = this.#line.findIndex((one) => one.grant === grant);
            if (place >= 0) this.#line.splice(place, 1);
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
    const next = this.#line.shift();
    if (!next) return;
    this.#holder = next.tab;
    void this.#later<void>(next.tab, 'lock').then(next.grant);
  }

  #channelOf(tab: FakeTab): OpenChannel {
    return (_scope, hear) => {
      this.#ears.set(tab, hear as never);
      return {
        post: (news) => {
          for (const [other, listen] of this.#ears) {
            if (other !== tab) void this.#later<void>(other, 'news').then(() => listen(news as never));
          }
        },
        close: () => void this.#ears.delete(tab),
      };
    };
  }

  #kill(tab: FakeTab): void {
    this.#dead.add(tab);
    this.#ears.delete(tab);
    this.tabs.splice(this.tabs.indexOf(tab), 1);
    for (const one of this.pending.filter((each) => each.tab === tab)) {
      this.pending.splice(this.pending.indexOf(one), 1);
    }
    const queued = this.#line.findIndex((one) => one.tab === tab);
    if (queued >= 0) this.#line.splice(queued, 1);
    if (this.#holder === tab) this.#release();
  }
}

/** Lets everything that can happen now, happen. */
export const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
