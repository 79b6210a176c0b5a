import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSystem, type System } from '../testing/app-process.ts';

let system: System;

beforeAll(async () => {
  system = await openSystem();
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
  const app = await system.startApp();
  const [{ id: tenantId }] = system.tenants;
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

  const paymentId = randomUUID();
  await system.db.payment.create({
    data: {
      id: paymentId,
      tenantId,
      operationId: randomUUID(),
      reference: number,
      amountMinor: 1450,
      currency: 'eur',
      paymentMethod: 'pm_card_visa',
      status: 'released',
    },
  });
  expect(await stream.sends(new RegExp(paymentId))).toBe(true);

  const stopped = app.kill('SIGTERM');
  // Cut short, without the event that would keep an EventSource from reconnecting.
  expect(await stream.sends(/event: return/)).toBe(false);
  await stopped;
});
