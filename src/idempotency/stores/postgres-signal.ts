import type { ChangeSignal } from '../ports.ts';
import { createWatches } from './change-watches.ts';
import type { Listener } from './postgres-listener.ts';

/**
 * Watches over the process's LISTEN connection; the trigger on the record notifies with the commit. A lost connection wakes
 * every watcher, because notifications may have been missed, and the next watch waits until there is another.
 */
export function createPostgresSignal(listener: Listener): ChangeSignal {
  const watches = createWatches();
  let subscribed = false;

  return {
    async watch(topic) {
      if (!subscribed) listener.subscribe({ onNotified: watches.wake, onMissed: watches.wakeAll });
      subscribed = true;
      await listener.connected();
      return watches.watch(topic);
    },
  };
}
