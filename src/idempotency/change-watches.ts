import type { SettlementWatch } from './ports.ts';

/** Who waits for which operation, within one process. What wakes them differs by store. */
export interface Watches {
  watch(operationId: string): SettlementWatch;
  wake(operationId: string): void;
  /** For when notifications may have been missed: everybody had better look for themselves. */
  wakeAll(): void;
}

interface Watcher {
  woken: boolean;
  notify: (() => void) | undefined;
}

export function createWatches(): Watches {
  const byOperation = new Map<string, Set<Watcher>>();

  return {
    watch(operationId) {
      const watcher: Watcher = { woken: false, notify: undefined };
      const watchers = byOperation.get(operationId) ?? new Set();
      byOperation.set(operationId, watchers.add(watcher));
      let closed = false;
      return {
        changed: (withinMs) =>
          closed ? Promise.reject(new Error('closed')) : changed(watcher, withinMs, () => closed),
        close() {
          closed = true;
          watchers.delete(watcher);
          if (watchers.size === 0) byOperation.delete(operationId);
          watcher.notify?.();
        },
      };
    },
    wake: (operationId) => wake(byOperation.get(operationId)),
    wakeAll() {
      for (const watchers of byOperation.values()) wake(watchers);
    },
  };
}

function wake(watchers: Iterable<Watcher> | undefined): void {
  for (const watcher of watchers ?? []) {
    watcher.woken = true;
    watcher.notify?.();
  }
}

/** A wake-up between two waits is not lost: it is remembered and ends the next wait at once. */
async function changed(watcher: Watcher, withinMs: number, isClosed: () => boolean): Promise<boolean> {
  if (!watcher.woken) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      watcher.notify = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    watcher.notify = undefined;
  }
  if (isClosed()) throw new Error('closed');
  const { woken } = watcher;
  watcher.woken = false;
  return woken;
}
