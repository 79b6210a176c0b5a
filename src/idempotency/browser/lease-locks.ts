import type { TabLocks } from './tab-locks.ts';

/**
 * Tab locks for browsers without Web Locks: a lease in local storage, renewed while it is held and taken over after it
 * has expired.
 *
 * Local storage has no compare-and-set, so a lease is acquired by Fischer's algorithm: a tab writes its name, waits until
 * all concurrent writes are visible, and holds the lease only if its name is still there. Unlike Web Locks, this depends
 * on a bound on time. A tab that sleeps past its lease finds another name in it and stops. In the worst case two tabs send
 * the same request under the same key, which the server executes once.
 */
export interface LeaseParts {
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | undefined;
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
  readonly mintOwner: () => string;
}

/** A hidden tab's timers fire once a second; a lease must outlive a few late ones. */
const leaseMs = 6_000;
const renewMs = 1_000;
/** Longer than a write takes to become visible in the other tabs of a busy machine. */
const writeVisibleMs = 60;
const pollMs = 300;

export function createLeaseLocks(parts: LeaseParts): TabLocks {
  const { storage, now, pause } = parts;
  /** Leases that could not be stored exclude only this tab's own calls. The key still prevents a second execution. */
  const unstored = new Map<string, string>();

  function read(name: string): { owner: string; until: number } | undefined {
    try {
      const text = unstored.get(name) ?? storage?.getItem(storageName(name));
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
    unstored.set(name, text);
    try {
      storage?.setItem(storageName(name), text);
      if (storage) unstored.delete(name);
    } catch {
      // There is no room for it.
    }
  }

  function release(name: string, owner: string): void {
    if (read(name)?.owner !== owner) return;
    if (!unstored.delete(name)) storage?.removeItem(storageName(name));
  }

  /** A lease that ends later than any could was written before the clock was set back; its holder may be long gone. */
  function isFree(name: string): boolean {
    const leftMs = (read(name)?.until ?? 0) - now();
    return leftMs <= 0 || leftMs > leaseMs;
  }

  async function acquire(name: string, owner: string): Promise<boolean> {
    if (!isFree(name)) return false;
    write(name, owner);
    await pause(writeVisibleMs);
    return read(name)?.owner === owner;
  }

  async function renew(
    name: string,
    owner: string,
    ended: AbortSignal,
    lost: AbortController,
  ): Promise<void> {
    while (!ended.aborted) {
      await pause(renewMs);
      if (ended.aborted) return;
      if (read(name)?.owner !== owner) return lost.abort(new Error('Another tab has taken the lease over.'));
      write(name, owner);
    }
  }

  async function runHeld(name: string, owner: string, work: (lost: AbortSignal) => Promise<void>) {
    const [ended, lost] = [new AbortController(), new AbortController()];
    void renew(name, owner, ended.signal, lost);
    try {
      await work(lost.signal);
    } finally {
      ended.abort();
      release(name, owner);
    }
  }

  return {
    async tryHold(name, work) {
      const owner = parts.mintOwner();
      if (!(await acquire(name, owner))) return false;
      await runHeld(name, owner, work);
      return true;
    },
    async hold(name, signal, work) {
      const owner = parts.mintOwner();
      while (!(await acquire(name, owner))) {
        signal.throwIfAborted();
        await pause(pollMs);
        signal.throwIfAborted();
      }
      if (signal.aborted) release(name, owner);
      signal.throwIfAborted();
      await runHeld(name, owner, work);
    },
  };
}

function storageName(name: string): string {
  return `paidonce.lease.${name}`;
}
