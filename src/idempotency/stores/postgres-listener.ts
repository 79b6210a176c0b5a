import pg from 'pg';

const channel = 'paidonce_operation';
/** A restarted PostgreSQL is back within seconds; one that stays away is not asked more often than this. */
const firstPauseMs = 100;
const longestPauseMs = 5_000;
const responseTimeoutMs = 3_000;
/** A connection on which nothing arrives may be dead without either side having closed it. */
const pingAfterMs = 10_000;
/** Long enough for a busy process to notify fifty times a second at most, and too short to be noticed. */
const notifyAfterMs = 20;
/** As many changes as a busy process makes while its connection is opened again. */
const maxOutgoing = 10_000;
/** PostgreSQL accepts payloads of less than 8000 bytes. */
const maxPayloadBytes = 7_900;

export interface ListenerOptions {
  /** How long a ping may be without a response, and a connection may take to be opened. */
  readonly timeoutMs?: number;
  readonly pingMs?: number;
}

export interface Subscriber {
  /** A transaction has committed a change of what the topic names. */
  onNotified(topic: string): void;
  /** Notifications may have been missed: what was read before must be read again. */
  onMissed(): void;
}

/**
 * The one LISTEN connection of a process, for everything in it that waits for changes. All processes notify on one channel;
 * the payload is a list of topics, one on each line.
 *
 * - unconnected: the state before the first use. `subscribe`, `connected` and `notify` connect.
 * - connected: subscribers get every topic.
 * - lost: `onMissed` is called at once, and again when the connection is back, because of what was committed in between. It
 *   is opened again after a pause that doubles, or at once by the next `connected`.
 */
export interface Listener {
  /** Returns the way to unsubscribe. */
  subscribe(subscriber: Subscriber): () => void;
  /** Resolves when no later notification is missed; rejects when the connection cannot be opened. */
  connected(): Promise<void>;
  readonly isConnected: boolean;
  /** Notifies the listeners of all processes. Topics of the next milliseconds share a statement. */
  notify(topics: readonly string[]): void;
  close(): Promise<void>;
}

/**
 * The connection string leads to PostgreSQL itself: through a pooler in transaction mode, such as PgBouncer, LISTEN would
 * belong to a session that the next transaction no longer has.
 */
export function createListener(connectionString: string, options: ListenerOptions = {}): Listener {
  const subscribers = new Set<Subscriber>();
  let connection: Promise<pg.Client> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let pauseMs = firstPauseMs;
  let interrupted = false;
  let closed = false;
  let isConnected = false;
  const outgoing = new Set<string>();
  let flush: NodeJS.Timeout | undefined;

  function connect(): Promise<pg.Client> {
    if (closed) return Promise.reject(new Error('The listener was closed.'));
    if (connection) return connection;
    clearTimeout(retry);
    const opening = open(connectionString, options, deliver, () => lost(opening));
    connection = opening;
    opening.then(opened, () => lost(opening));
    return opening;
  }

  function opened(): void {
    isConnected = true;
    pauseMs = firstPauseMs;
    if (interrupted) reportMissed();
    interrupted = false;
  }

  /** A connection that fails emits both error and end; by the second event another may have replaced it. */
  function lost(which: Promise<pg.Client>): void {
    if (connection !== which) return;
    connection = undefined;
    isConnected = false;
    if (!interrupted) reportMissed();
    interrupted = true;
    if (closed || subscribers.size === 0) return;
    retry = setTimeout(() => connect().catch(() => undefined), pauseMs).unref();
    pauseMs = Math.min(2 * pauseMs, longestPauseMs);
  }

  function deliver(payload: string): void {
    for (const topic of payload.split('\n')) {
      for (const { onNotified } of subscribers) onNotified(topic);
    }
  }

  /**
   * What cannot be sent is sent again when the connection is back. Beyond a limit it is dropped: readers that must not miss a
   * change also read at intervals.
   */
  function sendOutgoing(): void {
    flush = undefined;
    const topics = [...outgoing];
    outgoing.clear();
    connect()
      .then((client) =>
        client.query({
          name: 'notify',
          text: `SELECT pg_notify('${channel}', payload) FROM unnest($1::text[]) AS payload`,
          values: [payloadsOf(topics)],
        }),
      )
      .catch(() => {
        if (closed || outgoing.size > maxOutgoing) return;
        for (const topic of topics) outgoing.add(topic);
        flush ??= setTimeout(sendOutgoing, pauseMs).unref();
      });
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
    get isConnected() {
      return isConnected;
    },
    notify(topics) {
      for (const topic of topics) outgoing.add(topic);
      flush ??= setTimeout(sendOutgoing, notifyAfterMs).unref();
    },
    async close() {
      if (flush) {
        clearTimeout(flush);
        sendOutgoing();
      }
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
  { timeoutMs = responseTimeoutMs, pingMs = pingAfterMs }: ListenerOptions,
  onPayload: (payload: string) => void,
  lost: () => void,
): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString,
    application_name: 'paidonce-listen',
    connectionTimeoutMillis: timeoutMs,
    // A statement without a response in time closes the connection, because of `pipeline`.
    query_timeout: timeoutMs,
    pipeline: true,
    keepAlive: true,
  });
  client.on('error', lost);
  client.on('end', lost);
  client.on('notification', ({ payload }) => onPayload(payload ?? ''));
  try {
    await client.connect();
    await client.query(`LISTEN ${channel}`);
  } catch (error) {
    client.end().catch(() => undefined);
    throw error;
  }
  const ping = setInterval(() => client.query('SELECT 1').catch(() => undefined), pingMs).unref();
  client.once('end', () => clearInterval(ping));
  return client;
}

/** As few payloads as hold all topics. A topic that is too long for one is dropped. */
export function payloadsOf(topics: readonly string[]): string[] {
  const payloads: string[] = [];
  let lines: string[] = [];
  let bytes = 0;
  for (const topic of topics) {
    const size = Buffer.byteLength(topic) + 1;
    if (size > maxPayloadBytes) continue;
    if (bytes + size > maxPayloadBytes) {
      payloads.push(lines.join('\n'));
      lines = [];
      bytes = 0;
    }
    lines.push(topic);
    bytes += size;
  }
  return lines.length > 0 ? [...payloads, lines.join('\n')] : payloads;
}
