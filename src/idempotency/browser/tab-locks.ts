import { createLeaseLocks } from './lease-locks.ts';

/**
 * One tab at a time sends. The work gets a signal that is aborted if the lock is lost meanwhile; that can happen to a
 * lease, and not to a Web Lock.
 */
export interface TabLocks {
  /** Runs the work at once if the lock is free; returns false if another tab holds it. */
  tryHold(name: string, work: Work): Promise<boolean>;
  /** Waits for the lock, which is also released when its holder is closed or crashes. The signal ends the waiting. */
  hold(name: string, signal: AbortSignal, work: Work): Promise<void>;
}

type Work = (lost: AbortSignal) => Promise<void>;

/** The browser releases a lock when its tab is closed or crashes, so there is nothing to clean up and no timeout. */
export function createWebLocks(manager: LockManager): TabLocks {
  const neverAborted = new AbortController().signal;
  return {
    async tryHold(name, work) {
      let held = false;
      await manager.request(name, { ifAvailable: true }, async (lock) => {
        if (!lock) return;
        held = true;
        await work(neverAborted);
      });
      return held;
    },
    async hold(name, signal, work) {
      await manager.request(name, { signal }, () => work(neverAborted));
    },
  };
}

/** Web Locks exist on https and localhost only; a shop on a plain LAN address gets leases in local storage. */
export function locksOfBrowser(storage: Storage | undefined): TabLocks {
  if ('locks' in navigator && navigator.locks) return createWebLocks(navigator.locks);
  return createLeaseLocks({
    storage,
    now: Date.now,
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    mintOwner: () => `${Date.now()}-${Math.random()}`,
  });
}
