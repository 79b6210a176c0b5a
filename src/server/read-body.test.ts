import { expect, test } from 'vitest';
import { readBody, withinLimit } from './read-body.ts';

function endless() {
  let pulled = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled += 1;
      controller.enqueue(new Uint8Array(1024));
    },
  });
  const request = new Request('http://shop.example', { method: 'POST', body, duplex: 'half' } as RequestInit);
  return { request, pulled: () => pulled };
}

test('a body is read as it was sent', async () => {
  const request = new Request('http://shop.example', { method: 'POST', body: '{"name":"Zoë"}' });
  expect(await readBody(request, 15)).toBe('{"name":"Zoë"}');
  expect(await readBody(new Request('http://shop.example', { method: 'POST' }), 10)).toBe('');
});

test('the limit counts bytes, not characters', async () => {
  const request = new Request('http://shop.example', { method: 'POST', body: '{"name":"Zoë"}' });
  expect(await readBody(request, 14)).toBeUndefined();
});

test('an endless body is read up to the limit only', async () => {
  const { request, pulled } = endless();
  expect(await readBody(request, 4096)).toBeUndefined();
  expect(pulled()).toBeLessThan(10);
});

test('a handler gets the request as it was sent, with a body within the limit', async () => {
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': 'a' };
  const request = new Request('http://shop.example/x', { method: 'POST', headers, body: '{"a":1}' });
  const response = await withinLimit(request, 10, async (same) =>
    Response.json([same.url, same.method, same.headers.get('idempotency-key'), await same.json()]),
  );
  expect(await response.json()).toEqual(['http://shop.example/x', 'POST', 'a', { a: 1 }]);
});

test('a body that is not UTF-8 is refused with 400: broken characters would all be read as the same one', async () => {
  const body = Buffer.from('{"name":"Zoë"}', 'latin1');
  const request = new Request('http://shop.example', { method: 'POST', body });
  const response = await withinLimit(request, 100, () => Promise.reject(new Error('The handler ran.')));
  expect([response.status, await response.json()]).toEqual([400, { error: 'The body is not UTF-8.' }]);
});

test('a larger body is refused with 413, and the connection is closed', async () => {
  const { request } = endless();
  const response = await withinLimit(request, 4096, () => Promise.reject(new Error('The handler ran.')));
  expect([response.status, response.headers.get('connection')]).toEqual([413, 'close']);
});
