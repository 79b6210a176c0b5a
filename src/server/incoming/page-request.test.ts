import { expect, test } from 'vitest';
import { maxPageBodyBytes, refusePageRequest } from './page-request.ts';

const publicUrl = 'https://pay.example';

async function statusOf(init: RequestInit & { duplex?: 'half' }): Promise<number | undefined> {
  const request = new Request(`${publicUrl}/s/acme`, {
    ...init,
    headers: { host: 'pay.example', ...init.headers },
  });
  return (await refusePageRequest(request, publicUrl))?.status;
}

test('a page is read by GET and HEAD, and takes forms by POST; other methods are refused', async () => {
  expect(await statusOf({ method: 'GET' })).toBeUndefined();
  expect(await statusOf({ method: 'HEAD' })).toBeUndefined();
  expect(await statusOf({ method: 'POST', headers: { origin: publicUrl }, body: 'a=b' })).toBeUndefined();
  for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND', 'QUERY'])
    expect(await statusOf({ method }), method).toBe(405);
});

test('a form of another site is refused, also where the browser hides which one', async () => {
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'https://evil.example', 'x-forwarded-host': 'evil.example' },
    { origin: 'null' },
    { origin: 'no address' },
    { 'sec-fetch-site': 'cross-site' },
  ])
    expect(await statusOf({ method: 'POST', headers, body: 'a=b' }), JSON.stringify(headers)).toBe(403);
});

test('a form of more than 64 KiB is refused, whether or not it says how long it is', async () => {
  expect(await statusOf({ method: 'POST', body: 'x'.repeat(maxPageBodyBytes) })).toBeUndefined();
  expect(await statusOf({ method: 'POST', body: 'x'.repeat(maxPageBodyBytes + 1) })).toBe(413);
  let pulled = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled += 1;
      controller.enqueue(new Uint8Array(16 * 1024));
    },
  });
  expect(await statusOf({ method: 'POST', body: endless, duplex: 'half' })).toBe(413);
  expect(pulled).toBeLessThan(10);
});
