import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AppProcess, call, openSystem, type System } from '../testing/app-process.ts';

let system: System;
let app: AppProcess;
let other: AppProcess;

beforeAll(async () => {
  system = await openSystem();
  [app, other] = await Promise.all([system.startApp(), system.startApi()]);
});
afterAll(() => system.close());

/** What an EventSource reads, event by event. */
async function openStream(url: string) {
  const response = await fetch(url, { headers: { Accept: 'text/event-stream', 'Accept-Encoding': 'gzip' } });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) throw new Error('There is no body.');
  let text = '';
  return {
    headers: response.headers,
    leave: () => reader.cancel(),
    /** Resolves when the stream has sent it; false if it ended first. */
    async sends(what: RegExp): Promise<boolean> {
      while (!what.test(text)) {
        const { value, done } = await reader.read();
        if (done) return false;
        text += value;
      }
      return true;
    },
  };
}

test('a change reaches a reader through the production server at once, and a server that has to stop does not wait for readers', async () => {
  const [{ id: tenantId, apiKeys }] = system.tenants;
  const number = `ACME-${randomUUID().slice(0, 8)}`;
  const { id: orderId } = await system.db.order.create({
    data: { tenantId, number, amountMinor: 1450, currency: 'eur' },
  });
  const input = encodeURIComponent(JSON.stringify({ orderId }));
  const stream = await openStream(`${app.url}/api/trpc/payments.watchOrder?input=${input}`);
  expect(stream.headers.get('content-type')).toContain('text/event-stream');
  expect(stream.headers.get('content-encoding')).toBeNull();
  expect(await stream.sends(/event: connected/)).toBe(true);
  expect(await stream.sends(/data: \[\]/)).toBe(true);

  // Pages that are closed at once, while the order is being read.
  const left = Array.from({ length: 5 }, () =>
    openStream(`${app.url}/api/trpc/payments.watchOrder?input=${input}`).then((page) => page.leave()),
  );
  await Promise.all(left);

  // Another process makes the payment. The reader's own read comes after 25 s, later than this test's timeout.
  const paid = await call(`${other.url}/api/v1/payments`, apiKeys[0], {
    key: randomUUID(),
    body: { amountMinor: 1450, currency: 'eur', paymentMethod: 'pm_card_visa', reference: number },
  });
  expect(paid.status).toBe(201);
  expect(await stream.sends(new RegExp(String(paid.json.paymentId)))).toBe(true);

  const stopped = app.kill('SIGTERM');
  // The stream ends without the event that would keep an EventSource from reconnecting.
  expect(await stream.sends(/event: return/)).toBe(false);
  await stopped;
  // A reader who leaves is no error.
  expect(app.errors()).not.toContain('unhandledRejection');
}, 20_000);
