import type { RequestListener, Server } from 'node:http';

type Given = Parameters<RequestListener>;

/** Puts a function before the listeners that a server has for requests. It hands a request over to them by calling `serve`. */
export function wrapListeners(
  server: Server,
  wrap: (request: Given[0], response: Given[1], serve: () => void) => void,
): void {
  const listeners = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request, response) =>
    wrap(request, response, () => {
      for (const listener of listeners) listener.call(server, request, response);
    }),
  );
}
