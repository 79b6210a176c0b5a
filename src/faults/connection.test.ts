import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Connection } from './connection.ts';

const server = createServer();
let received: { request: IncomingMessage; response: ServerResponse }[];
let url: string;

beforeEach(async () => {
  received = [];
  server.removeAllListeners('request');
  server.on('request', (request, response) => received.push({ request, response }));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

test('a connection that is cut before the request is sent lets nothing leave', async () => {
  let opened = 0;
  server.once('connection', () => (opened += 1));
  const connection = new Connection();
  connection.cut();
  await expect(connection.send(fetch, url)).rejects.toThrow();
  expect(connection.hasSent).toBe(false);
  // The next request arrives, so the one before it would have arrived too.
  void new Connection().send(fetch, url, { headers: { 'x-name': 'next' } }).catch(() => undefined);
  await once(server, 'request');
  expect(received.map(({ request }) => request.headers['x-name'])).toEqual(['next']);
  expect(opened).toBe(1);
});

test('a connection that is cut after the request has arrived closes at the server, and the sender gets no response', async () => {
  const connection = new Connection();
  const sent = connection.send(fetch, url);
  sent.catch(() => undefined);
  await once(server, 'request');
  connection.cut();
  await expect(sent).rejects.toThrow();
  expect(connection.hasSent).toBe(true);
  const { socket } = received[0]?.request ?? {};
  if (socket && !socket.destroyed) await once(socket, 'close');
  expect(socket?.destroyed).toBe(true);
});

test('a connection that is cut while the response arrives loses the rest of it', async () => {
  const connection = new Connection();
  const sent = connection.send(fetch, url);
  await once(server, 'request');
  received[0]?.response.write('half');
  const response = await sent;
  connection.cut();
  await expect(response.text()).rejects.toThrow();
});

test('a request keeps the signal that its sender gave it', async () => {
  const sender = new AbortController();
  const sent = new Connection().send(fetch, url, { signal: sender.signal });
  sent.catch(() => undefined);
  await once(server, 'request');
  sender.abort(new Error('the sender gave up'));
  await expect(sent).rejects.toThrow('the sender gave up');
});
