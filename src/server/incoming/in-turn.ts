import { AsyncResource } from 'node:async_hooks';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { wrapListeners } from './wrap-listeners.ts';

/** Clients that do not wait for responses send a handful of requests ahead, and most clients send none. */
export const maxRequestsAhead = 64;

/**
 * Node hands over all requests of a connection as they arrive, although their responses leave one after the other. A stranger
 * with one connection could have thousands of pages rendered at once, and payments would wait for all of them. So a request is
 * served when the response before it has left, and other connections are served in between.
 */
export function serveInTurn(server: Server): void {
  const connections = new WeakMap<Socket, (() => void)[]>();
  wrapListeners(server, ({ socket }, response, serve) => {
    const requests = connections.get(socket) ?? [];
    connections.set(socket, requests);
    if (requests.length > maxRequestsAhead) {
      // Not read at all would be better, but a socket that is paused goes on with each response that ends.
      socket.destroy();
      return;
    }
    // What is known about a request is kept in its asynchronous context, which would otherwise be that of the one before it.
    requests.push(requests.length === 0 ? serve : AsyncResource.bind(serve));
    response.once('close', () => {
      requests.shift();
      if (!socket.destroyed) requests[0]?.();
    });
    if (requests.length === 1) serve();
  });
}
