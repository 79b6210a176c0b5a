import { createLeaseLocks } from './lease-locks.ts';

/**
 * One tab at a time works on an attempt. The work is given a signal that ends it should the lock be lost in the middle;
 * with Web Locks that cannot happen, with their stand-in it can.
 */
export interface TabLocks {
  /** Runs the work at once if the name is free; false if it is held. */
  tryHold(name: string, work: Work): Promise<boolean>;
  /** Waits for the lock, which is also released when its holder is closed or killed. The signal ends the waiting. */
  hold(name: string, signal: AbortSignal, work: Work): Promise<void>;
}

type Work = (lost: AbortSignal) => Promise<void>;

/** The browser gives a lock back when its tab is gone, however it went: nothing has to be cleaned up, nothing times out. */
export function createWebLocks(manager: LockManager): TabLocks {
  const never = new AbortController().signal;
  return {
    async tryHold(name, work) {
      let held = false;
      await manager.request(name, { ifAvailable: true }, async (lock) => {
        if (!lock) return;
        held = true;
        await work(never);
      });
      return held;
    },
    async hold(name, signal, work) {
      await manager.request(name, { signal }, () => work(never));
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
