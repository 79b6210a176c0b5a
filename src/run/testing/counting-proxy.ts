import { connect, createServer, type Socket } from 'node:net';

/** A proxy between processes and PostgreSQL that notes the statements that pass it. */
export interface CountingProxy {
  readonly url: string;
  /** The statements that were executed since the last `reset`, in order. */
  statements(): readonly string[];
  /** The same by transaction: a statement outside of one is alone. */
  transactions(): readonly (readonly string[])[];
  /** How often a client waited for the server: once for each simple query and each synchronisation. */
  roundTrips(): number;
  reset(): void;
  close(): Promise<void>;
}

/**
 * Reads the messages of the frontend protocol, so that every statement of a client, an ORM or a job queue is counted, in every
 * process. A prepared statement is known by the text it was parsed with.
 */
export async function openCountingProxy(databaseUrl: string): Promise<CountingProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let statements: string[] = [];
  let transactions: string[][] = [];
  let roundTrips = 0;

  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    let open: string[] | undefined;
    const observe = createReader({
      onStatement(raw) {
        const text = raw.replaceAll(/\s+/g, ' ').trim();
        statements.push(text);
        if (open) open.push(text);
        else {
          open = [text];
          transactions.push(open);
        }
        const isOpen = /^begin/i.test(open[0] ?? '') && !/^(commit|rollback$)/i.test(text);
        if (!isOpen) open = undefined;
      },
      onRoundTrip: () => {
        roundTrips += 1;
      },
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.on('error', () => other.destroy());
    }
    near.on('data', observe);
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = new URL(databaseUrl);
  url.port = String(typeof address === 'object' && address ? address.port : 0);

  return {
    url: url.href,
    statements: () => statements,
    transactions: () => transactions,
    roundTrips: () => roundTrips,
    reset() {
      statements = [];
      transactions = [];
      roundTrips = 0;
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** One per connection. Its first message has no type, because it is the start-up message. */
function createReader(observer: { onStatement(text: string): void; onRoundTrip(): void }) {
  const parsed = new Map<string, string>();
  const portals = new Map<string, string>();
  let unread = Buffer.alloc(0);
  let started = false;

  return (chunk: Buffer): void => {
    unread = Buffer.concat([unread, chunk]);
    for (;;) {
      const head = started ? 1 : 0;
      if (unread.length < head + 4) return;
      const end = head + unread.readInt32BE(head);
      if (unread.length < end) return;
      const message = unread.subarray(0, end);
      unread = unread.subarray(end);
      if (started) read(String.fromCharCode(message[0] ?? 0), message.subarray(5));
      started = true;
    }
  };

  function read(type: string, body: Buffer): void {
    const [first = '', second = ''] = body.toString('utf8').split('\0');
    if (type === 'P') parsed.set(first, second);
    if (type === 'B') portals.set(first, parsed.get(second) ?? second);
    if (type === 'E') observer.onStatement(portals.get(first) ?? first);
    if (type === 'Q') observer.onStatement(first);
    if (type === 'Q' || type === 'S') observer.onRoundTrip();
  }
}
