import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { lastCallsMs } from '../stopping.ts';
import { clientAddressHeader } from './client-address.ts';
import { maxParameters, maxUserAgentLength } from './costly-heads.ts';
import { connectionTimeouts, receiveRequests } from './receive-requests.ts';

const warnings: string[] = [];
let stop: AbortController;
// Vitest calls what it returns after the test: other files have servers in the same process.
beforeEach(() => {
  stop = new AbortController();
  return receiveRequests(
    { PUBLIC_URL: 'http://127.0.0.1', TRUSTED_PROXIES: [] },
    (message) => warnings.push(message),
    stop.signal,
  );
});

let server: Server;
afterEach(() => server.close());

async function listen(listener: Parameters<typeof createServer>[1]): Promise<number> {
  server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

test('a connection that asks for another protocol gets a response, instead of staying open', async () => {
  const port = await listen((_, response) => response.end('an ordinary response'));
  // As Next does for addresses that it does not know.
  server.on('upgrade', () => undefined);
  const socket = connect(port, '127.0.0.1');
  const asks = ['GET /nope HTTP/1.1', 'Host: a', 'Connection: Upgrade, close', 'Upgrade: websocket'];
  socket.end(`${asks.join('\r\n')}\r\n\r\n`);
  expect(await text(socket)).toContain('an ordinary response');
});

test('a request has half a minute to arrive, its headers ten seconds', async () => {
  const port = await listen((_, response) => response.end());
  await fetch(`http://127.0.0.1:${port}`);
  expect(server).toMatchObject({ requestTimeout: 30_000, headersTimeout: 10_000 });
});

test('a connection whose response is not read is closed after five minutes', async () => {
  const port = await listen((request, response) => response.end(String(request.socket.timeout)));
  await fetch(`http://127.0.0.1:${port}`);
  const { body } = await fetch(`http://127.0.0.1:${port}`, { headers: { connection: 'close' } });
  expect(body && (await text(body))).toBe('300000');
});

test('requests that are sent ahead on one connection wait for each other, also where a server has the timeouts already', async () => {
  let [underWay, most] = [0, 0];
  const port = await listen((_, response) => {
    underWay += 1;
    most = Math.max(most, underWay);
    setImmediate(() => {
      underWay -= 1;
      response.end();
    });
  });
  Object.assign(server, connectionTimeouts);
  const socket = connect(port, '127.0.0.1');
  const ask = 'GET / HTTP/1.1\r\nHost: a\r\n';
  socket.write(`${`${ask}\r\n`.repeat(9)}${ask}Connection: close\r\n\r\n`);
  expect((await text(socket)).match(/200 OK/g)).toHaveLength(10);
  expect(most).toBe(1);
});

test('a proxy that is not trusted is reported once, and Next’s own requests never', async () => {
  const port = await listen((request, response) => response.end(request.headers[clientAddressHeader]));
  const ask = async (headers: Record<string, string>) =>
    (await fetch(`http://127.0.0.1:${port}`, { headers })).text();
  const forwarded = { 'x-forwarded-for': '203.0.113.7' };
  expect(await ask({ ...forwarded, [clientAddressHeader]: '203.0.113.7' })).toBe('127.0.0.1');
  expect(warnings).toEqual([]);
  await ask(forwarded);
  await ask(forwarded);
  expect(warnings).toEqual([expect.stringContaining('TRUSTED_PROXIES')]);
});

test('a process that stops closes each connection with the response that it owes, so that no other request arrives there', async () => {
  const { promise: response, resolve: respond } = Promise.withResolvers<void>();
  const port = await listen((incoming, outgoing) => {
    if (incoming.url === '/begun') outgoing.flushHeaders();
    void response.then(() => outgoing.end('paid'));
  });
  const ask = async (path: string) => {
    const socket = connect(port, '127.0.0.1');
    socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n`);
    await once(server, 'request');
    return socket;
  };
  const [socket, begun] = [await ask('/'), await ask('/begun')];
  stop.abort();
  respond();
  // Ends only because the server closes the connection.
  expect(await text(socket)).toMatch(
    /^HTTP\/1\.1 200 OK\r\n(.*\r\n)*Connection: close\r\n(.*\r\n)*\r\n(.*\r\n)*.*paid/,
  );
  // Its head had left before, and promised to keep the connection.
  expect(await text(begun)).toMatch(/Connection: keep-alive\r\n(.*\r\n)*paid/);
});

test('a process that stops waits for no request that has not begun, and a moment only for one that does not arrive', async () => {
  const port = await listen(() => undefined);
  const open = async (sent: string) => {
    const socket = connect(port, '127.0.0.1');
    await once(server, 'connection');
    socket.write(sent);
    return socket;
  };
  // As a browser does, for a request that it expects to make.
  const silent = await open('');
  const halfAHead = await open('POST / HTTP/1.1\r\nHost:');
  const halfABody = await open('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf');
  await once(server, 'request');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  stop.abort();
  const stopped = promisify(server.close.bind(server))();
  await Promise.all([once(silent, 'close'), once(halfAHead, 'close')]);
  expect(halfABody.closed).toBe(false);
  vi.advanceTimersByTime(lastCallsMs);
  await once(halfABody, 'close');
  await stopped;
});

test('a head that would stop the process for seconds is refused or cut before it is read', async () => {
  const seen: unknown[] = [];
  const port = await listen((request, response) => {
    seen.push([request.url?.length, request.headers['user-agent']?.length]);
    response.end();
  });
  const ask = async (query: string, agent = 'a browser') => {
    const { status } = await fetch(`http://127.0.0.1:${port}/?${query}`, {
      headers: { 'user-agent': agent },
    });
    return status;
  };
  expect(await ask('a&'.repeat(7_000))).toBe(414);
  expect(await ask(`${'a&'.repeat(maxParameters - 1)}a&a`)).toBe(414);
  expect(seen).toEqual([]);
  expect(await ask(`${'a&'.repeat(maxParameters - 1)}a`, 'a'.repeat(14_000))).toBe(200);
  expect(seen).toEqual([[2 * maxParameters + 1, maxUserAgentLength]]);
});
