import type { ChangeWatch } from '../ports.ts';

/** The watches of one process, by topic. Each store wakes them in its own way. */
export interface Watches {
  watch(topic: string): ChangeWatch;
  wake(topic: string): void;
  /** For a lost connection, when notifications may have been missed: every watcher reads its record again. */
  wakeAll(): void;
}

interface Watcher {
  woken: boolean;
  notify: (() => void) | undefined;
}

export function createWatches(): Watches {
  const byTopic = new Map<string, Set<Watcher>>();

  return {
    watch(topic) {
      const watcher: Watcher = { woken: false, notify: undefined };
      const watchers = byTopic.get(topic) ?? new Set();
      byTopic.set(topic, watchers.add(watcher));
      let closed = false;
      return {
        changed: (withinMs) =>
          closed
            ? Promise.reject(new Error('The watch is closed.'))
            : changed(watcher, withinMs, () => closed),
        close() {
          closed = true;
          watchers.delete(watcher);
          if (watchers.size === 0) byTopic.delete(topic);
          watcher.notify?.();
        },
      };
    },
    wake: (topic) => wake(byTopic.get(topic)),
    wakeAll() {
      for (const watchers of byTopic.values()) wake(watchers);
    },
  };
}

function wake(watchers: Iterable<Watcher> | undefined): void {
  for (const watcher of watchers ?? []) {
    watcher.woken = true;
    watcher.notify?.();
  }
}

/** A wake-up between two waits is not lost: it ends the next wait at once. */
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
  if (isClosed()) throw new Error('The watch is closed.');
  const { woken } = watcher;
  watcher.woken = false;
  return woken;
}
