import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleHarness, openConsoleHarness } from '#server/testing/console-harness.ts';
import { POST } from './route.ts';

let harness: ConsoleHarness;
beforeAll(async () => {
  harness = await openConsoleHarness();
});
afterAll(() => harness.close());

/** A form without an end. */
function endless(host: string) {
  let pulled = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled += 1;
      controller.enqueue(new Uint8Array(16 * 1024).fill(120));
      // A handler that reads everything would otherwise never end.
      if (pulled === 1_000) controller.close();
    },
  });
  const headers = { host, 'content-type': 'application/x-www-form-urlencoded' };
  const request = new Request(`http://${host}/admin/sign-in/demo`, {
    method: 'POST',
    headers,
    body,
    duplex: 'half',
  } as RequestInit);
  return { request, pulled: () => pulled };
}

test('nothing is read of a form of any length that a stranger sends to the entrance of the demo', async () => {
  const { request, pulled } = endless('shop.example');
  const response = await POST(request);
  expect(response.status).toBe(404);
  expect(response.headers.get('connection')).toBe('close');
  expect(pulled()).toBeLessThan(3);
});
