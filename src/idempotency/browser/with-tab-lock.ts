import type { TabLocks } from './tab-locks.ts';

/** Ends the work of a tab that is gone, or that has lost the lock: it writes nothing more. */
export class TabLockLost extends Error {
  override readonly name = 'TabLockLost';
}

export interface LockedWork {
  readonly locks: TabLocks;
  readonly name: string;
  /** Aborted when the page is gone. */
  readonly life: AbortSignal;
  /** Another tab has the lock; this one waits. */
  wait(): void;
  /** Runs with the lock held. Once `over` is aborted it has to end with the signal's reason. */
  work(over: AbortSignal): Promise<void>;
}

/** Runs the work with the lock held: at once if it is free, else when it is; and again, should the lock be lost. */
export async function withTabLock({ locks, name, life, wait, work }: LockedWork): Promise<void> {
  let done = false;
  const once = async (lost: AbortSignal) => {
    done = await workUnlessOver(work, [lost, life]);
  };
  try {
    while (!done && !life.aborted) {
      if (await locks.tryHold(name, once)) continue;
      if (life.aborted) return;
      wait();
      await locks.hold(name, life, once);
    }
  } catch (error) {
    if (!life.aborted) throw error;
  }
}

/** `AbortSignal.any` would do the same, but older phones do not have it. */
async function workUnlessOver(work: LockedWork['work'], enders: readonly AbortSignal[]): Promise<boolean> {
  const over = new AbortController();
  const end = () => over.abort(new TabLockLost());
  for (const signal of enders) signal.addEventListener('abort', end);
  if (enders.some(({ aborted }) => aborted)) end();
  try {
    over.signal.throwIfAborted();
    await work(over.signal);
    return true;
  } catch (error) {
    if (!(error instanceof TabLockLost)) throw error;
    return false;
  } finally {
    for (const signal of enders) signal.removeEventListener('abort', end);
  }
}
