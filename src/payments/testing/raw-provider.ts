import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** Where shoppers of the tests come back to from their bank. */
export const returnUrl = 'https://shop.example/bank-return';

/** A provider that is only a socket, so that a test can break the connection at any byte. */
export interface RawProvider {
  readonly url: string;
  /** The first lines of the requests that arrived complete. */
  readonly requests: string[];
  /** How many connections were opened, also those on which nothing was sent. */
  connections: number;
  /** Responds to a request on its connection, or breaks it. */
  respond: (socket: Socket) => void;
  close(): Promise<void>;
}

export async function openRawProvider(): Promise<RawProvider> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    provider.connections += 1;
    socket.on('close', () => sockets.delete(socket));
    // A client that has given up closes the connection before the response.
    socket.on('error', () => undefined);
    let unread = '';
    socket.on('data', (chunk) => {
      unread += chunk.toString('latin1');
      for (let request = takeRequest(unread); request; request = takeRequest(unread)) {
        unread = unread.slice(request.length);
        provider.requests.push(request.slice(0, request.indexOf('\r\n')));
        provider.respond(socket);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const provider: RawProvider = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    connections: 0,
    respond: (socket) => socket.destroy(),
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return provider;
}

/** The first complete request of what was read so far. */
function takeRequest(text: string): string | undefined {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const length = Number(/^content-length: *(\d+)/im.exec(text.slice(0, headEnd))?.[1] ?? 0);
  const end = headEnd + 4 + length;
  return text.length >= end ? text.slice(0, end) : undefined;
}

export function response(status: number, body: string | object, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const lines = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers };
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Status\r\n${head.join('')}\r\n${text}`;
}
