import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findFreePort } from '#run/testing/ports.ts';
import { type OutboxHarness, openOutboxHarness } from './testing/harness.ts';

let harness: OutboxHarness;
let directory: string;
let merchant: ChildProcess;

beforeAll(async () => {
  harness = await openOutboxHarness();
  // In the checkout, where the sample finds the package that it imports.
  directory = mkdtempSync(path.resolve('node_modules', '.webhook-sample-'));
});
afterAll(async () => {
  merchant.kill();
  await once(merchant, 'exit');
  rmSync(directory, { recursive: true });
  await harness.close();
});

/** The receiver of the README as a merchant would run it. Returns the lines that it prints. */
async function startSample(port: number, secret: string): Promise<AsyncIterator<string>> {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const sample = /```js\n([\s\S]*?)```/.exec(readme)?.[1];
  if (!sample) throw new Error('The README has no sample.');
  const file = path.join(directory, 'receiver.mjs');
  writeFileSync(file, sample);
  merchant = spawn(process.execPath, [file], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) },
  });
  if (!merchant.stdout) throw new Error('Its output is read.');
  return createInterface({ input: merchant.stdout })[Symbol.asyncIterator]();
}

test('the receiver of the README accepts what we send, handles it once, and refuses what another has signed', async () => {
  const shop = await harness.openShop('Acme');
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}/hooks`;
  const { secret, row } = await harness.addEndpoint(shop, url);
  const lines = await startSample(port, secret);
  expect((await lines.next()).value).toBe('listening');

  const { payment } = await harness.buy(shop);
  await harness.work();
  expect((await lines.next()).value).toBe(`payment.succeeded ${payment.reference}`);
  // As after a worker that died before it could write that the message had arrived.
  await harness.db
    .$executeRaw`ALTER TABLE merchant_webhook_delivery DISABLE TRIGGER merchant_webhook_delivery_guard`;
  const [delivery] = await harness.db.merchantWebhookDelivery.findMany({ where: { endpointId: row.id } });
  await harness.db.merchantWebhookDelivery.updateMany({
    where: { tenantId: shop },
    data: { status: 'queued', deliveredAt: null },
  });
  await harness.duplicateJob('deliver_webhook', { tenantId: shop, id: delivery?.id });
  await harness.work();
  const { payment: next } = await harness.buy(shop, { result: 'declined' });
  await harness.work();
  expect((await lines.next()).value).toBe(`payment.declined ${next.reference}`);
  const made = await harness.db.merchantWebhookDelivery.findMany({
    where: { tenantId: shop },
    orderBy: { createdAt: 'asc' },
  });
  expect(made).toMatchObject([
    { status: 'delivered', attempts: 2, lastStatus: 204 },
    { status: 'delivered', attempts: 1, lastStatus: 204 },
  ]);

  const stranger = await harness.openShop('Globex');
  await harness.addEndpoint(stranger, url);
  await harness.buy(stranger);
  await harness.work();
  expect(await harness.db.merchantWebhookDelivery.findMany({ where: { tenantId: stranger } })).toMatchObject([
    { status: 'queued', lastStatus: 400 },
  ]);
});
