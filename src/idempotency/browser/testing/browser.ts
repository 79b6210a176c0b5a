import { createKeyMemory } from '../key-memory.ts';
import { Submission } from '../submission.ts';
import type { SendResult, StatusResult, SubmissionState } from '../submission-state.ts';
import type { OpenChannel, TabMessage } from '../tab-channel.ts';
import type { TabLocks } from '../tab-locks.ts';

export type Command = { readonly card: string };

/** An asynchronous step that ends when the test ends it. */
export interface Pending {
  readonly tab: FakeTab;
  readonly kind: 'send' | 'status' | 'pause' | 'message' | 'lock';
  readonly key?: string;
  readonly command?: Command;
  readonly ms?: number;
  /** With its result, if it is a send or a status read. */
  finish(outcome?: SendResult<string> | StatusResult<string>): void;
}

export interface FakeTab {
  readonly name: string;
  readonly submission: Submission<Command, string>;
  readonly state: SubmissionState<string>;
  /** Pushes a status, as the server would. */
  readonly push: (status: StatusResult<string>) => void;
  /** Whether the tab is subscribed to pushed statuses. */
  readonly watching: boolean;
  /** Ends the tab as closing it or a crash would: none of its code runs any more. */
  kill(): void;
}

/**
 * One browser: local storage that all tabs share, locks that are released when a tab is gone, and messages between the
 * tabs. Every response, pause, message and lock is a `Pending` until the test finishes it.
 */
export class FakeBrowser {
  readonly storage = new Map<string, string>();
  /** There is no room for more: an entry can only be replaced by a shorter one. */
  isFull = false;
  readonly pending: Pending[] = [];
  readonly tabs: FakeTab[] = [];
  readonly sends: { tab: string; key: string; command: Command }[] = [];
  readonly mintedKeys: string[] = [];
  readonly #lockQueue: { tab: FakeTab; grant: () => void }[] = [];
  readonly #receivers = new Map<FakeTab, (message: TabMessage<string>) => void>();
  readonly #dead = new Set<FakeTab>();
  #holder: FakeTab | undefined;

  /** Opens a tab with a form for the scope. */
  open(scope = 'order-1'): FakeTab {
    const name = `tab ${this.tabs.length + 1}`;
    let onStatus: ((status: StatusResult<string>) => void) | undefined;
    let submission: Submission<Command, string> | undefined;
    const tab: FakeTab = {
      name,
      get submission() {
        if (!submission) throw new Error('The tab is not open yet.');
        return submission;
      },
      get state() {
        return this.submission.state;
      },
      get watching() {
        return onStatus !== undefined;
      },
      push: (status) => onStatus?.(status),
      kill: () => this.#kill(tab),
    };
    this.tabs.push(tab);
    submission = new Submission<Command, string>({
      scope,
      memory: createKeyMemory(this.#storageOfTab(), new Map()),
      locks: this.#locksOf(tab),
      openChannel: this.#channelOf(tab),
      transport: {
        send: (command, key) => {
          this.sends.push({ tab: name, key, command });
          return this.#later<SendResult<string>>(tab, 'send', { key, command });
        },
        readStatus: (key) => this.#later<StatusResult<string>>(tab, 'status', { key }),
        watch: (_key, listener) => {
          onStatus = listener;
          return () => {
            onStatus = undefined;
          };
        },
      },
      clock: { now: () => 0, random: () => 1, pause: (ms) => this.#later<void>(tab, 'pause', { ms }) },
      mintKey: () => {
        const key = `minted-as-key-no-${this.mintedKeys.length + 1}`;
        this.mintedKeys.push(key);
        return key;
      },
    });
    void submission.restore();
    return tab;
  }

  #storageOfTab(): Pick<Storage, 'getItem' | 'setItem'> {
    return {
      getItem: (entry) => this.storage.get(entry) ?? null,
      setItem: (entry, value) => {
        if (this.isFull && value.length > (this.storage.get(entry)?.length ?? 0)) throw new Error('full');
        this.storage.set(entry, value);
      },
    };
  }

  remembered(scope = 'order-1'): { key: string; command: string | null; stage: string } {
    return JSON.parse(this.storage.get(`paidonce.key.${scope}`) ?? 'null');
  }

  find(kind: Pending['kind'], tab?: FakeTab): Pending | undefined {
    return this.pending.find((one) => one.kind === kind && (!tab || one.tab === tab));
  }

  /** Finishes the first pending step of a kind, and the locks and messages that follow from it. */
  async finish(
    kind: Pending['kind'],
    outcome?: SendResult<string> | StatusResult<string>,
    tab?: FakeTab,
  ): Promise<void> {
    await flushPromises();
    const one = this.find(kind, tab);
    if (!one) throw new Error(`There is no pending ${kind}${tab ? ` in ${tab.name}` : ''}.`);
    one.finish(outcome);
    await this.deliver();
  }

  /** Grants locks and delivers messages, in order, until only sends, status reads and pauses are left. */
  async deliver(): Promise<void> {
    await flushPromises();
    for (;;) {
      const one = this.pending.find(({ kind }) => kind === 'lock' || kind === 'message');
      if (!one) return;
      one.finish();
      await flushPromises();
    }
  }

  #later<T>(tab: FakeTab, kind: Pending['kind'], details: Partial<Pending> = {}): Promise<T> {
    return new Promise((resolve) => {
      const one: Pending = {
        tab,
        kind,
        ...details,
        finish: (outcome) => {
          this.pending.splice(this.pending.indexOf(one), 1);
          if (!this.#dead.has(tab)) resolve(outcome as T);
        },
      };
      if (!this.#dead.has(tab)) this.pending.push(one);
    });
  }

  #locksOf(tab: FakeTab): TabLocks {
    const neverLost = new AbortController().signal;
    const runHeld = async (work: (lost: AbortSignal) => Promise<void>) => {
      try {
        await work(neverLost);
      } finally {
        if (this.#holder === tab) this.#release();
      }
    };
    return {
      tryHold: async (_name, work) => {
        await this.#later<void>(tab, 'lock');
        if (this.#holder) return false;
        this.#holder = tab;
        await runHeld(work);
        return true;
      },
      hold: async (_name, signal, work) => {
        await new Promise<void>((grant, reject) => {
          this.#lockQueue.push({ tab, grant });
          signal.addEventListener('abort', () => {
            const place = this.#lockQueue.findIndex((one) => one.grant === grant);
            if (place >= 0) this.#lockQueue.splice(place, 1);
            reject(signal.reason);
          });
          if (!this.#holder) this.#release();
        });
        await runHeld(work);
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

/** Runs all promise callbacks that are due. */
export const flushPromises = () => new Promise<void>((resolve) => setImmediate(resolve));
