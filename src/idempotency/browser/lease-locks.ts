import type { TabLocks } from './tab-locks.ts';

/**
 * A lock for browsers that have none: a lease in local storage, renewed while it is held, taken over when it has run out.
 *
 * Local storage has no compare-and-set, so a lease is taken by Fischer's rule: write one's name, wait until every other
 * write has certainly been seen, and hold it only if the name is still there. That rests on a bound on time, where Web
 * Locks rest on nothing; a tab that sleeps past its lease finds another name in it and stops. In the worst case two tabs
 * send the same request under the same key, which the server executes once.
 */
export interface LeaseParts {
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | undefined;
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
  readonly mintOwner: () => string;
}

/** A hidden tab's timers come once a second; a lease must outlive a few that come late. */
const leaseMs = 6_000;
const renewMs = 1_000;
/** Longer than a write takes to be seen by the other tabs of a busy machine. */
const writeVisibleMs = 60;
const pollMs = 300;

export function createLeaseLocks(parts: LeaseParts): TabLocks {
  const { storage, now, pause } = parts;
  /** Without storage nothing is shared with other tabs; the lock then holds within this tab only. */
  const own = new Map<string, string>();

  function read(name: string): { owner: string; until: number } | undefined {
    try {
      const text = storage ? storage.getItem(entryOf(name)) : own.get(name);
      const value: unknown = text ? JSON.parse(text) : undefined;
      if (typeof value !== 'object' || value === null) return undefined;
      const { owner, until } = value as { owner?: unknown; until?: unknown };
      return typeof owner === 'string' && typeof until === 'number' ? { owner, until } : undefined;
    } catch {
      return undefined;
    }
  }

  function write(name: string, owner: string): void {
    const text = JSON.stringify({ owner, until: now() + leaseMs });
    try {
      if (storage) storage.setItem(entryOf(name), text);
      else own.set(name, text);
    } catch {
      // A full disk: no other tab can be kept out. The key and the server still prevent a second charge.
    }
  }

  function release(name: string, owner: string): void {
    if (read(name)?.owner !== owner) return;
    if (storage) storage.removeItem(entryOf(name));
    else own.delete(name);
  }

  const isFree = (name: string) => (read(name)?.until ?? 0) <= now();

  async function take(name: string, owner: string): Promise<boolean> {
    if (!isFree(name)) return false;
    write(name, owner);
    await pause(writeVisibleMs);
    return read(name)?.owner === owner;
  }

  async function keep(name: string, owner: string, over: AbortSignal, lost: AbortController): Promise<void> {
    while (!over.aborted) {
      await pause(renewMs);
      if (over.aborted) return;
      if (read(name)?.owner !== owner) return lost.abort(new Error('Another tab has taken over.'));
      write(name, owner);
    }
  }

  async function work(name: string, owner: string, task: (lost: AbortSignal) => Promise<void>) {
    const [over, lost] = [new AbortController(), new AbortController()];
    void keep(name, owner, over.signal, lost);
    try {
      await task(lost.signal);
    } finally {
      over.abort();
      release(name, owner);
    }
  }

  return {
    async tryHold(name, task) {
      const owner = parts.mintOwner();
      if (!(await take(name, owner))) return false;
      await work(name, owner, task);
      return true;
    },
    async hold(name, signal, task) {
      const owner = parts.mintOwner();
      while (!(await take(name, owner))) {
        signal.throwIfAborted();
        await pause(pollMs);
        signal.throwIfAborted();
      }
      if (signal.aborted) release(name, owner);
      signal.throwIfAborted();
      await work(name, owner, task);
    },
  };
}

function entryOf(name: string): string {
  return `paidonce.lease.${name}`;
}
