import { expect, test } from 'vitest';
import { readBody } from './read-body.ts';

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

test('bytes are counted, not letters', async () => {
  const request = new Request('http://shop.example', { method: 'POST', body: '{"name":"Zoë"}' });
  expect(await readBody(request, 14)).toBeUndefined();
});

test('of a body without end no more is read than is allowed', async () => {
  const { request, pulled } = endless();
  expect(await readBody(request, 4096)).toBeUndefined();
  expect(pulled()).toBeLessThan(10);
});
