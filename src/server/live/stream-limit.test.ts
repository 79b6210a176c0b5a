import { expect, test } from 'vitest';
import { createStreamLimit } from './stream-limit.ts';

function opened() {
  const ended = { value: false };
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new Uint8Array([10])),
    cancel() {
      ended.value = true;
    },
  });
  return { response: new Response(body, { headers: { 'content-type': 'text/event-stream' } }), ended };
}
const connected = new AbortController().signal;

test('one network has so many streams and no more, and a place is free when its reader leaves', async () => {
  const limit = createStreamLimit({ perNetwork: 2, total: 10 });
  const open = () => limit.admit(opened().response, '203.0.113.7', connected);
  const [first, second] = [await open(), await open()];
  expect([first.status, second.status]).toEqual([200, 200]);
  expect((await open()).status).toBe(429);
  expect((await limit.admit(opened().response, '203.0.113.8', connected)).status).toBe(200);

  const reader = first.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await reader?.closed;
  const third = await open();
  expect(third.status).toBe(200);
  expect((await open()).status).toBe(429);
});

test('a connection that breaks frees its place once, and a refused stream ends', async () => {
  const limit = createStreamLimit({ perNetwork: 1, total: 10 });
  const leaving = new AbortController();
  await limit.admit(opened().response, 'a', leaving.signal);
  const refused = opened();
  expect((await limit.admit(refused.response, 'a', connected)).status).toBe(429);
  expect(refused.ended.value).toBe(true);
  leaving.abort();
  expect((await limit.admit(opened().response, 'a', connected)).status).toBe(200);
  expect((await limit.admit(opened().response, 'a', connected)).status).toBe(429);
});

test('a process has so many in all, and responses that are no streams are not counted', async () => {
  const limit = createStreamLimit({ perNetwork: 2, total: 3 });
  for (const network of ['a', 'b', 'c']) await limit.admit(opened().response, network, connected);
  expect((await limit.admit(opened().response, 'd', connected)).status).toBe(429);
  const plain = new Response('{}', { headers: { 'content-type': 'application/json' } });
  expect(await limit.admit(plain, 'd', connected)).toBe(plain);
});
