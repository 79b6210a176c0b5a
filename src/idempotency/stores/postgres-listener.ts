import pg from 'pg';

const channel = 'paidonce_operation';
/** A restarted PostgreSQL is back within seconds; one that stays away is not asked more often than this. */
const firstPauseMs = 100;
const longestPauseMs = 5_000;
const connectTimeoutMs = 3_000;

export interface Subscriber {
  /** A transaction has committed a change of what the topic names. */
  onNotified(topic: string): void;
  /** Notifications may have been missed: what was read before must be read again. */
  onMissed(): void;
}

/**
 * The one LISTEN connection of a process, for everything in it that waits for changes. Triggers notify with the commit, all
 * on one channel, and the payload is the topic.
 *
 * - unconnected: the state before the first use. `subscribe` and `connected` connect.
 * - connected: subscribers get every topic.
 * - lost: `onMissed` is called at once, and again when the connection is back, because of what was committed in between. It
 *   is opened again after a pause that doubles, or at once by the next `connected`.
 */
export interface Listener {
  /** Returns the way to unsubscribe. */
  subscribe(subscriber: Subscriber): () => void;
  /** Resolves when no later notification is missed; rejects when this attempt to connect fails. */
  connected(): Promise<void>;
  close(): Promise<void>;
}

export function createListener(connectionString: string): Listener {
  const subscribers = new Set<Subscriber>();
  let connection: Promise<pg.Client> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let pauseMs = firstPauseMs;
  let interrupted = false;
  let closed = false;

  function connect(): Promise<pg.Client> {
    if (closed) return Promise.reject(new Error('The listener was closed.'));
    if (connection) return connection;
    clearTimeout(retry);
    const opening = open(connectionString, notify, () => lost(opening));
    connection = opening;
    opening.then(opened, () => lost(opening));
    return opening;
  }

  function opened(): void {
    pauseMs = firstPauseMs;
    if (interrupted) reportMissed();
    interrupted = false;
  }

  /** A connection that fails emits both error and end; by the second event another may have replaced it. */
  function lost(which: Promise<pg.Client>): void {
    if (connection !== which) return;
    connection = undefined;
    if (!interrupted) reportMissed();
    interrupted = true;
    if (closed || subscribers.size === 0) return;
    retry = setTimeout(() => connect().catch(() => undefined), pauseMs).unref();
    pauseMs = Math.min(2 * pauseMs, longestPauseMs);
  }

  function notify(topic: string): void {
    for (const { onNotified } of subscribers) onNotified(topic);
  }

  function reportMissed(): void {
    for (const { onMissed } of subscribers) onMissed();
  }

  return {
    subscribe(subscriber) {
      subscribers.add(subscriber);
      connect().catch(() => undefined);
      return () => subscribers.delete(subscriber);
    },
    async connected() {
      await connect();
    },
    async close() {
      closed = true;
      clearTimeout(retry);
      const client = await connection?.catch(() => undefined);
      connection = undefined;
      await client?.end();
    },
  };
}

async function open(
  connectionString: string,
  notify: (topic: string) => void,
  lost: () => void,
): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString,
    application_name: 'paidonce-listen',
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
  });
  client.on('error', lost);
  client.on('end', lost);
  client.on('notification', ({ payload }) => notify(payload ?? ''));
  try {
    await client.connect();
    await client.query(`LISTEN ${channel}`);
    return client;
  } catch (error) {
    client.end().catch(() => undefined);
    throw error;
  }
}
