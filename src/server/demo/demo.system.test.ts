import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AppProcess, openSystem, type System } from '../testing/app-process.ts';

let system: System;
let orderId: string;
beforeAll(async () => {
  system = await openSystem();
  const order = { tenantId: system.tenants[0].id, number: 'ACME-DEMO', amountMinor: 1450, currency: 'eur' };
  ({ id: orderId } = await system.db.order.create({ data: order }));
});
afterAll(() => system.close());

const stripe = {
  STRIPE_SECRET_KEY: 'sk_test_x',
  STRIPE_WEBHOOK_SECRET: 'whsec_x',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_x',
};

async function statusesOf({ url }: AppProcess) {
  const page = await fetch(`${url}/pay/${orderId}`);
  const input = encodeURIComponent(JSON.stringify({ orderId, key: randomUUID() }));
  const readings = await fetch(`${url}/api/trpc/demo.readings?input=${input}`);
  const silence = await fetch(`${url}/api/trpc/demo.silence`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ orderId, seconds: 1 }),
  });
  const html = await page.text();
  expect(html).toContain('€14.50');
  return { bar: html.includes('data-demo-bar'), readings: readings.status, silence: silence.status };
}

describe('the demo bar and its procedures', () => {
  test.each([
    [
      'exist on the embedded default',
      { PAIDONCE_EMBEDDED: 'true' },
      { bar: true, readings: 200, silence: 200 },
    ],
    ['do not exist on a database of one’s own', {}, { bar: false, readings: 404, silence: 404 }],
    [
      'do not exist where the provider is Stripe',
      { PAIDONCE_EMBEDDED: 'true', ...stripe },
      { bar: false, readings: 404, silence: 404 },
    ],
  ])('%s', async (_, env, statuses) => {
    const app = await system.startApp(env as Record<string, string>);
    expect(await statusesOf(app)).toEqual(statuses);
    await app.kill('SIGTERM');
  });
});
