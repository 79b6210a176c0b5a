import type { OperationRef } from '#idempotency/index.ts';
import type { Listener } from '#idempotency/stores/postgres.ts';

/**
 * Notifies open consoles of changed operations in their shops. The engine notifies after each commit that changes a
 * status; the process listens while any console is open. Changes of one second are sent together, to each console those
 * of its shops. The notification names the tenant, so the database is not asked.
 *
 * A notice carries ids only: the console reads the rows again. A lost connection is reported as a notice without ids,
 * because notifications may have been missed.
 */
export interface OperationChanges {
  /** Batches of ids until the signal aborts. An empty batch means that changes may have been missed: read again. */
  watch(tenantIds: readonly string[], signal: AbortSignal): AsyncGenerator<readonly string[], void>;
}

/** `<record id>:<tenant id>`, see operationTopic. The channel has other topics too. */
const operationTopicPattern = /^([0-9a-f-]{36}):(.+)$/;

const batchMs = 1_000;
/** No console shows thousands of rows: beyond this number the notice has no ids. */
const batchLimit = 500;

interface Watcher {
  readonly tenantIds: ReadonlySet<string>;
  pending: Set<string>;
  missed: boolean;
  wake: () => void;
}

export function createOperationChanges(listener: Pick<Listener, 'subscribe'>): OperationChanges {
  const watchers = new Set<Watcher>();
  let changed: OperationRef[] = [];
  let unsubscribe: (() => void) | undefined;

  function onNotified(topic: string): void {
    const [, id, tenantId] = operationTopicPattern.exec(topic) ?? [];
    if (!id || !tenantId) return;
    changed.push({ tenantId, id });
    if (changed.length === 1) setTimeout(send, batchMs).unref();
  }

  function send(): void {
    const batch = changed;
    changed = [];
    for (const watcher of watchers) {
      const own = batch.filter(({ tenantId }) => watcher.tenantIds.has(tenantId));
      for (const { id } of own) watcher.pending.add(id);
      if (watcher.pending.size > batchLimit) {
        watcher.missed = true;
        watcher.pending.clear();
      }
      if (own.length > 0) watcher.wake();
    }
  }

  function onMissed(): void {
    for (const watcher of watchers) {
      watcher.missed = true;
      watcher.wake();
    }
  }

  return {
    async *watch(tenantIds, signal) {
      const watcher: Watcher = {
        tenantIds: new Set(tenantIds),
        pending: new Set(),
        missed: false,
        wake: () => {},
      };
      watchers.add(watcher);
      signal.addEventListener('abort', () => watcher.wake(), { once: true });
      unsubscribe ??= listener.subscribe({ onNotified, onMissed });
      try {
        while (!signal.aborted) {
          if (watcher.pending.size === 0 && !watcher.missed) {
            await new Promise<void>((resolve) => {
              watcher.wake = resolve;
            });
            continue;
          }
          const ids = watcher.missed ? [] : [...watcher.pending];
          watcher.pending = new Set();
          watcher.missed = false;
          yield ids;
        }
      } finally {
        watchers.delete(watcher);
        if (watchers.size === 0) {
          unsubscribe?.();
          unsubscribe = undefined;
        }
      }
    },
  };
}
