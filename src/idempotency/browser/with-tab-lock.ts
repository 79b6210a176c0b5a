import type { TabLocks } from './tab-locks.ts';

/** Ends the work of a tab that is gone or has lost the lock, before it writes anything more. */
export class TabLockLost extends Error {
  override readonly name = 'TabLockLost';
}

export interface LockedWork {
  readonly locks: TabLocks;
  readonly name: string;
  /** Aborted when the page is gone. */
  readonly disposed: AbortSignal;
  /** Called if another tab holds the lock and this one has to wait. */
  onWait(): void;
  /** Runs with the lock held. Once the signal is aborted, it must reject with the signal's reason. */
  work(signal: AbortSignal): Promise<void>;
}

/** Runs the work as soon as this tab holds the lock, and again if the lock is lost before the work has ended. */
export async function withTabLock({ locks, name, disposed, onWait, work }: LockedWork): Promise<void> {
  let done = false;
  const once = async (lost: AbortSignal) => {
    done = await workUnlessAborted(work, [lost, disposed]);
  };
  try {
    while (!done && !disposed.aborted) {
      if (await locks.tryHold(name, once)) continue;
      if (disposed.aborted) return;
      onWait();
      await locks.hold(name, disposed, once);
    }
  } catch (error) {
    if (!disposed.aborted) throw error;
  }
}

/** Combines the signals by hand, because older phones do not have `AbortSignal.any`. False if one was aborted. */
async function workUnlessAborted(
  work: LockedWork['work'],
  signals: readonly AbortSignal[],
): Promise<boolean> {
  const combined = new AbortController();
  const abort = () => combined.abort(new TabLockLost());
  for (const signal of signals) signal.addEventListener('abort', abort);
  if (signals.some(({ aborted }) => aborted)) abort();
  try {
    combined.signal.throwIfAborted();
    await work(combined.signal);
    return true;
  } catch (error) {
    if (!(error instanceof TabLockLost)) throw error;
    return false;
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', abort);
  }
}
