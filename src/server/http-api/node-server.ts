import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connectionTimeouts, keepNoConnections } from '../incoming/receive-requests.ts';
import { apiHeaders } from '../response-headers.ts';
import type { ApiRequest } from './request.ts';

export interface NodeServer {
  readonly server: Server;
  /** Takes no more requests, and resolves when those under way have their responses. */
  stop(): Promise<void>;
}

/** Serves the handlers of the API with `node:http` alone. */
export function createNodeServer(parts: {
  respond(request: ApiRequest): Promise<Response>;
  onError(error: unknown): void;
}): NodeServer {
  const server = createServer(connectionTimeouts, (incoming, outgoing) => {
    // A client that closes its connection early ends only its own request.
    incoming.on('error', () => undefined);
    void serve(incoming, outgoing);
  });

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const response = await parts.respond(requestOf(incoming)).catch((error: unknown) => {
      if (!incoming.destroyed) parts.onError(error);
      return new Response('Internal Server Error', { status: 500 });
    });
    const body = response.body ? Buffer.from(await response.arrayBuffer()) : undefined;
    const headers: Record<string, string> = { ...apiHeaders };
    for (const [name, value] of response.headers) headers[name] = value;
    // What is left of a body that was not read would be taken for the next request, and need not be received.
    if (!incoming.complete) headers.connection = 'close';
    // RFC 9110 forbids it there.
    if (response.status !== 204) headers['content-length'] = String(body?.byteLength ?? 0);
    outgoing.writeHead(response.status, headers);
    outgoing.end(incoming.method === 'HEAD' ? undefined : body);
  }

  return {
    server,
    stop() {
      keepNoConnections(server);
      return new Promise((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

/** Only the path and the query of a URL are read, so its host may be any; a client that takes us for a proxy names one. */
function requestOf(incoming: IncomingMessage): ApiRequest {
  const { method = 'GET', url = '/', headers } = incoming;
  return {
    method,
    url:
      /^https?:/i.test(url) && URL.canParse(url) ? url : `http://localhost${url.startsWith('/') ? url : '/'}`,
    headers: {
      get(name) {
        const value = headers[name.toLowerCase()];
        return Array.isArray(value) ? value.join(', ') : (value ?? null);
      },
    },
    body: incoming,
  };
}
