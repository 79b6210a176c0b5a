import type { ChangeSignal } from '../ports.ts';
import { createWatches } from './change-watches.ts';
import type { Listener } from './postgres-listener.ts';

/**
 * Watches over the process's LISTEN connection. Those of this process are woken at once. A lost connection wakes
 * every watcher, because notifications may have been missed, and the next watch waits until there is another.
 */
export function createPostgresSignal(listener: Listener): ChangeSignal {
  const watches = createWatches();
  let subscribed = false;

  function subscribe(): void {
    if (!subscribed) listener.subscribe({ onNotified: watches.wake, onMissed: watches.wakeAll });
    subscribed = true;
  }

  return {
    async watch(topic) {
      subscribe();
      await listener.connected();
      return watches.watch(topic);
    },
    watchNow(topic) {
      subscribe();
      return listener.isConnected ? watches.watch(topic) : undefined;
    },
    notify(topics) {
      for (const topic of topics) watches.wake(topic);
      listener.notify(topics);
    },
  };
}
