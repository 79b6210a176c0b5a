import pg from 'pg';
import type { ChangeSignal } from '../ports.ts';
import { createWatches } from './change-watches.ts';

const channel = 'paidonce_operation';

/**
 * LISTEN on one connection per process; the trigger on the record notifies with the commit. A lost connection wakes
 * every watcher, because notifications may have been missed, and the next watch opens another.
 */
export function createPostgresSignal(connectionString: string): ChangeSignal & { close(): Promise<void> } {
  const watches = createWatches();
  let listening: Promise<pg.Client> | undefined;

  function listen(): Promise<pg.Client> {
    const opening = open(lost);
    opening.catch(lost);
    return opening;

    // A failed connection emits both error and end; by the second event another may have replaced it.
    function lost(): void {
      if (listening !== opening) return;
      listening = undefined;
      watches.wakeAll();
    }
  }

  async function open(lost: () => void): Promise<pg.Client> {
    const client = new pg.Client({ connectionString, application_name: 'paidonce-signal', keepAlive: true });
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', ({ payload }) => watches.wake(payload ?? ''));
    await client.connect();
    await client.query(`LISTEN ${channel}`);
    return client;
  }

  return {
    async watch(topic) {
      listening ??= listen();
      await listening;
      return watches.watch(topic);
    },
    async close() {
      const client = await listening?.catch(() => undefined);
      listening = undefined;
      await client?.end();
    },
  };
}
