import pg from 'pg';
import type { SettlementSignal } from '../ports.ts';
import { createWatches } from '../settlement-watches.ts';

const channel = 'paidonce_operation';

/**
 * LISTEN on one connection per process; the trigger on the record notifies with the commit. A lost connection wakes
 * every watcher, because what happened meanwhile was not heard, and is opened again by the next watch.
 */
export function createPostgresSignal(
  connectionString: string,
): SettlementSignal & { close(): Promise<void> } {
  const watches = createWatches();
  let listening: Promise<pg.Client> | undefined;

  async function listen(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString, application_name: 'paidonce-signal', keepAlive: true });
    const lost = () => {
      listening = undefined;
      watches.wakeAll();
    };
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', ({ payload }) => watches.wake(payload ?? ''));
    await client.connect();
    await client.query(`LISTEN ${channel}`);
    return client;
  }

  return {
    async watch(operationId) {
      listening ??= listen();
      try {
        await listening;
      } catch (error) {
        listening = undefined;
        throw error;
      }
      return watches.watch(operationId);
    },
    async close() {
      const client = await listening?.catch(() => undefined);
      listening = undefined;
      await client?.end();
    },
  };
}
