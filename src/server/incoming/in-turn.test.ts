import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { maxRequestsAhead, serveInTurn } from './in-turn.ts';

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** The requests that were handed over, in their order, and how to respond to them. */
async function listen() {
  const served: { path: string; response: ServerResponse }[] = [];
  server = createServer((request, response) => {
    served.push({ path: request.url ?? '', response });
  });
  serveInTurn(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const open = async (requests: string) => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    const arrived = once(server, 'request');
    socket.write(requests);
    await arrived;
    return socket;
  };
  return { served, open, paths: () => served.map(({ path }) => path) };
}

const get = (path: string, ...headers: string[]) =>
  `${[`GET ${path} HTTP/1.1`, 'Host: a', ...headers].join('\r\n')}\r\n\r\n`;

test('requests that are sent ahead are served one after the other, and other connections in between', async () => {
  const { served, open, paths } = await listen();
  const ahead = await open(get('/1') + get('/2') + get('/3', 'Connection: close'));
  await open(get('/other'));
  expect(paths()).toEqual(['/1', '/other']);
  for (const [path, at] of Object.entries({ '/1': 0, '/2': 2, '/3': 3 })) {
    expect(served[at]?.path).toBe(path);
    const left = served[at] && once(served[at].response, 'close');
    served[at]?.response.end(`response to ${path}`);
    await left;
  }
  expect((await text(ahead)).match(/response to .\d/g)).toEqual([
    'response to /1',
    'response to /2',
    'response to /3',
  ]);
});

test('a request that waited has its own asynchronous context', async () => {
  const contexts = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  server = createServer((request, response) => {
    seen.push([request.url, contexts.getStore()]);
    response.end();
  });
  const emit = server.emit.bind(server);
  // As `receive-requests.ts` does where Node announces a request.
  server.emit = (event: string, ...values: unknown[]) => {
    if (event === 'request') contexts.enterWith(`context of ${(values[0] as { url: string }).url}`);
    return emit(event, ...values);
  };
  serveInTurn(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(get('/1') + get('/2', 'Connection: close'));
  await text(socket);
  expect(seen).toEqual([
    ['/1', 'context of /1'],
    ['/2', 'context of /2'],
  ]);
});

test('a connection with too many requests ahead is closed, and none of those that wait is served', async () => {
  const { open, paths } = await listen();
  const patient = await open(get('/').repeat(maxRequestsAhead));
  const greedy = await open(get('/greedy').repeat(maxRequestsAhead + 2));
  await new Promise((resolve) => greedy.resume().on('close', resolve));
  expect(patient.destroyed).toBe(false);
  expect(paths()).toEqual(['/', '/greedy']);
});

test('what was sent after the last request of a connection is not served', async () => {
  const { served, open, paths } = await listen();
  const socket = await open(get('/last', 'Connection: close') + get('/after'));
  served[0]?.response.end();
  await text(socket);
  expect(paths()).toEqual(['/last']);
});
