import type { AttemptLocks } from './tab-locks.ts';

/** Ends the work of a tab that is gone, or that has lost the lock: it writes nothing more. */
export class TurnOver extends Error {
  override readonly name = 'TurnOver';
}

export interface Turn {
  readonly locks: AttemptLocks;
  readonly name: string;
  /** Aborted when the page is gone. */
  readonly life: AbortSignal;
  /** Another tab has the lock; this one waits. */
  wait(): void;
  /** With the lock held. Once `over` is aborted the work is to end with its reason. */
  work(over: AbortSignal): Promise<void>;
}

/** Works with the lock: at once if it is free, else when it is; and again, should it be lost in the middle. */
export async function takeTurn({ locks, name, life, wait, work }: Turn): Promise<void> {
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

/** `AbortSignal.any` would say the same, in browsers that are younger than some shoppers' phones. */
async function workUnlessOver(work: Turn['work'], enders: readonly AbortSignal[]): Promise<boolean> {
  const turn = new AbortController();
  const end = () => turn.abort(new TurnOver());
  for (const signal of enders) signal.addEventListener('abort', end);
  if (enders.some(({ aborted }) => aborted)) end();
  try {
    turn.signal.throwIfAborted();
    await work(turn.signal);
    return true;
  } catch (error) {
    if (!(error instanceof TurnOver)) throw error;
    return false;
  } finally {
    for (const signal of enders) signal.removeEventListener('abort', end);
  }
}
