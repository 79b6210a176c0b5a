import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRawProvider, type RawProvider } from '../testing/raw-provider.ts';
import type { AddressRule } from './address-rule.ts';
import { guardedLookup, post } from './post.ts';

let server: RawProvider;
beforeAll(async () => {
  server = await openRawProvider();
});
afterAll(() => server.close());

const message = { body: '{}', headers: {} };

test('nothing is sent to a refused address', async () => {
  expect(await post('https://169.254.169.254/', message, 'public')).toEqual({
    kind: 'no_response',
    error: 'The address is not one we may send to.',
  });
});

test('a name is checked by its address at the moment of connecting', async () => {
  const lookUp = (rule: AddressRule) =>
    new Promise((resolve) => {
      guardedLookup(rule)('localhost', {}, (error, address) => resolve(error?.message ?? address));
    });
  expect(await lookUp('public')).toBe('The name leads to an address we may not send to.');
  expect(await lookUp('public_or_loopback')).toMatch(/^(127\.0\.0\.1|::1)$/);
});

test('a name that was public when it was registered, and leads to this machine when the message is sent, gets nothing', async () => {
  server.connections = 0;
  const { port } = new URL(server.url);
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
  expect(await post(`https://hooks.shop.example:${port}/`, message, 'public', undefined, resolve)).toEqual({
    kind: 'no_response',
    error: 'The name leads to an address we may not send to.',
  });
  expect(server.connections).toBe(0);
});

test('a receiver that accepts the request and does not respond is given up', async () => {
  server.respond = () => undefined;
  expect(await post(server.url, message, 'public_or_loopback', 200)).toEqual({
    kind: 'no_response',
    error: 'No answer within 0.2 seconds.',
  });
  expect(server.requests).toEqual(['POST / HTTP/1.1']);
});

test.each([
  ['and names one', 'Upgrade: websocket\r\nConnection: Upgrade\r\n'],
  ['and names none', ''],
])('a receiver that switches to another protocol, %s, has not accepted the message', async (_, headers) => {
  server.respond = (socket) => socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headers}\r\n`);
  expect(await post(server.url, message, 'public_or_loopback', 200)).toEqual({
    kind: 'responded',
    status: 101,
  });
});

test('a receiver that closes the connection gives no response, and gets one request', async () => {
  server.requests.length = 0;
  server.respond = (socket) => socket.resetAndDestroy();
  expect(await post(server.url, message, 'public_or_loopback')).toEqual({
    kind: 'no_response',
    error: 'The connection was closed before an answer came (ECONNRESET).',
  });
  expect(server.requests).toHaveLength(1);
});
