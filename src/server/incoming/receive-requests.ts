import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Env } from '../env.ts';
import { lastCallsOver, stopping } from '../stopping.ts';
import { clientAddressHeader, createClientAddress } from './client-address.ts';
import { refuseCostlyHeads } from './costly-heads.ts';
import { serveInTurn } from './in-turn.ts';
import { respondUnavailable } from './unavailable-status.ts';

/** A year, which is what browsers' preload lists ask for. Subdomains are not ours to decide about. */
const strictTransport = 'max-age=31536000';

export const connectionTimeouts = {
  // A body has 64 KiB at most; what takes longer to arrive keeps a connection open for nothing.
  requestTimeout: 30_000,
  headersTimeout: 10_000,
  // Longer than load balancers keep their idle connections, which is a minute, so that it is they who close them. A request that
  // is sent in the moment in which we close its connection gets no response.
  keepAliveTimeout: 65_000,
  // For clients that do not read their response. A payment may be silent for two calls of the provider, each of two minutes at
  // most; streams send a sign of life every fifteen seconds.
  timeout: 300_000,
} as const;

/**
 * What holds for every request and response of the process, whichever route serves it. Next gives its routes no socket, so
 * the address of the peer is taken where Node announces a request, before Next sees it. Returns how to end it, for tests: a
 * process does it for as long as it lives.
 */
export function receiveRequests(
  settings: Pick<Env, 'PUBLIC_URL' | 'TRUSTED_PROXIES'>,
  warn: (message: string) => void,
  stop: AbortSignal = stopping(),
): () => void {
  const addressOf = createClientAddress(settings.TRUSTED_PROXIES);
  const isHttps = settings.PUBLIC_URL.startsWith('https:');
  const limited = new WeakSet<Server>();
  const arriving = createArriving(stop);
  let warned = false;
  const onConnection = (message: unknown) => {
    const { socket } = message as { socket: Socket & { server?: Server } };
    if (!socket.server) return;
    arriving.add(socket);
    limitConnections(socket.server, limited, stop);
  };
  const onRequest = (message: unknown) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    arriving.begun(request);
    const forwarded = [request.headers['x-forwarded-for']].flat().join(',') || undefined;
    const peer = request.socket.remoteAddress;
    // Next's own request for the page that an action redirects to: it repeats the headers of the shopper's.
    const isRepeated = request.headers[clientAddressHeader] !== undefined;
    request.headers[clientAddressHeader] = addressOf(peer, forwarded);
    respondUnavailable(response);
    closeIfStopping(response, stop);
    if (isHttps) response.setHeader('Strict-Transport-Security', strictTransport);
    if (forwarded && !isRepeated && settings.TRUSTED_PROXIES.length === 0 && !warned) {
      warned = true;
      warn(`X-Forwarded-For from ${peer} is ignored. If that is your proxy, name it in TRUSTED_PROXIES.`);
    }
  };
  if (process.env.NODE_ENV !== 'development') subscribe('net.server.socket', onConnection);
  subscribe('http.server.request.start', onRequest);
  return () => {
    unsubscribe('net.server.socket', onConnection);
    unsubscribe('http.server.request.start', onRequest);
  };
}

/**
 * Next creates the server itself, and gives it no limits. A connection that asks for another protocol is handed to a listener
 * of Next, which leaves it open for as long as the client likes; without a listener it is a request like any other, which is
 * what an HTTP server may make of it. Hot reload needs it, in development.
 */
function limitConnections(server: Server, limited: WeakSet<Server>, stop: AbortSignal): void {
  server.removeAllListeners('upgrade');
  if (stop.aborted || limited.has(server)) return;
  limited.add(server);
  Object.assign(server, connectionTimeouts);
  refuseCostlyHeads(server);
  serveInTurn(server);
  stop.addEventListener('abort', () => keepNoConnections(server), { once: true });
}

/**
 * Node counts a connection as idle only after its first response, and no longer limits how long a request takes to arrive once
 * its server is closed. A connection that a browser has opened ahead, or a client that sends half a request, would keep a
 * process from ending for five minutes, so those are closed here: what has not begun at once, and what has not arrived when
 * the last calls of the provider are over.
 */
function createArriving(stop: AbortSignal) {
  const latest = new Map<Socket, IncomingMessage | undefined>();
  const close = (isOver: (request: IncomingMessage | undefined) => boolean) => {
    for (const [socket, request] of latest) if (isOver(request)) socket.destroy();
  };
  stop.addEventListener('abort', () => close((request) => !request), { once: true });
  lastCallsOver(stop).addEventListener('abort', () => close((request) => !request?.complete), { once: true });
  return {
    add(socket: Socket): void {
      latest.set(socket, undefined);
      socket.once('close', () => latest.delete(socket));
    },
    begun(request: IncomingMessage): void {
      if (latest.has(request.socket)) latest.set(request.socket, request);
    },
  };
}

/**
 * A server that stops closes the connections that are idle at that moment. One with a response under way, of which the head has
 * left, would be kept as long as any other, and the process with it.
 */
export function keepNoConnections(server: Server): void {
  // Zero would mean for ever.
  server.keepAliveTimeout = 1;
}

/**
 * Next takes no new connections when it is asked to stop, but goes on serving those that it has: a proxy that keeps them busy
 * would have its payments cut off when the process is killed. Each is closed with its next response.
 */
function closeIfStopping(response: ServerResponse, stop: AbortSignal): void {
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse;
  response.writeHead = (...args: unknown[]) => {
    if (stop.aborted) response.shouldKeepAlive = false;
    return writeHead(...args);
  };
}
