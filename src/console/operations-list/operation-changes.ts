import pg from 'pg';
import type { PrismaClient } from '#prisma';

/**
 * Tells open consoles which operations of their shops have changed. The trigger on the record notifies with each commit
 * that changes a status; one connection per process listens, for as long as anybody looks. What is heard within a second
 * goes out together, each shop's ids to those who look at that shop, after one question to the database for whose they
 * are, however many look.
 *
 * It is a hint, not a record: whoever gets one looks for themselves. A lost connection is such a hint as well, because
 * what happened meanwhile was not heard.
 */
export interface OperationChanges {
  /** Batches of ids until the signal aborts. An empty batch means: something may have been missed, look. */
  watch(tenantIds: readonly string[], signal: AbortSignal): AsyncGenerator<readonly string[], void>;
  close(): Promise<void>;
}

/** The channel has other topics too. */
const operationId = /^[0-9a-f-]{36}$/;

const batchMs = 1_000;
/** In a storm nobody reads a list of thousands of ids: then the hint is that there was one. */
const batchLimit = 500;

interface Watcher {
  readonly tenantIds: ReadonlySet<string>;
  pending: Set<string>;
  missed: boolean;
  wake: () => void;
}

export function createOperationChanges(
  connectionString: string,
  db: Pick<PrismaClient, '$queryRaw'>,
): OperationChanges {
  const watchers = new Set<Watcher>();
  const heard = new Set<string>();
  let telling = false;
  let listening: Promise<pg.Client | undefined> | undefined;

  function listen(): void {
    const opening = open(lost).catch(() => undefined);
    listening = opening;

    function lost(): void {
      if (listening !== opening) return;
      listening = undefined;
      missed();
      // Not at once: a database that is going down would be asked in a loop.
      if (watchers.size > 0) setTimeout(() => watchers.size > 0 && !listening && listen(), batchMs).unref();
    }
    opening.then((client) => {
      if (!client) lost();
    });
  }

  async function open(lost: () => void): Promise<pg.Client> {
    const client = new pg.Client({ connectionString, application_name: 'paidonce-console', keepAlive: true });
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', ({ payload }) => {
      if (!operationId.test(payload ?? '')) return;
      heard.add(payload ?? '');
      if (!telling) setTimeout(tell, batchMs).unref();
      telling = true;
    });
    await client.connect();
    await client.query('LISTEN paidonce_operation');
    return client;
  }

  async function tell(): Promise<void> {
    telling = false;
    const ids = [...heard];
    heard.clear();
    if (watchers.size === 0) return;
    if (ids.length > batchLimit) return missed();
    try {
      const rows = await db.$queryRaw<{ id: string; tenant_id: string }[]>`
        SELECT id, tenant_id FROM idempotency_record WHERE id = ANY(${ids}::uuid[])`;
      for (const watcher of watchers) {
        for (const { id, tenant_id: tenantId } of rows) {
          if (watcher.tenantIds.has(tenantId)) watcher.pending.add(id);
        }
        if (watcher.pending.size > 0) watcher.wake();
      }
    } catch {
      missed();
    }
  }

  function missed(): void {
    for (const watcher of watchers) {
      watcher.missed = true;
      watcher.wake();
    }
  }

  async function stopListening(): Promise<void> {
    const client = await listening;
    if (watchers.size > 0) return;
    listening = undefined;
    await client?.end();
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
      if (!listening) listen();
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
        if (watchers.size === 0) await stopListening();
      }
    },
    async close() {
      watchers.clear();
      await stopListening();
    },
  };
}
