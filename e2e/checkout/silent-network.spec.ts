import type { Route } from 'playwright/test';
import { expect, test } from '../fixtures.ts';
import { recordKeys } from './tabs.ts';

/** How long the page waits for a response, on connections that are open and silent. */
const timeoutMs = 30_000;

test('a response that never arrives is not waited for without end: the same key gets it, and there is one charge', async ({
  shopper,
  charges,
  context,
  page,
}) => {
  await page.clock.install();
  const reference = await shopper.orderSomething();
  const keys = recordKeys(context);
  // The request is executed, and neither a response nor a reset comes back.
  await context.route('**/api/trpc/payments.pay*', async (route) => void (await route.fetch()), { times: 1 });
  await shopper.payButton.click();
  await expect.poll(() => charges(reference)).toHaveLength(1);
  await expect(shopper.form).toHaveAttribute('data-state', 'sending');
  await page.clock.fastForward(timeoutMs);
  await shopper.expectReceipt();
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(1);
  expect(await charges(reference)).toMatchObject([{ status: 'succeeded' }]);
});

test('after a reload, a status that never arrives is asked for again', async ({
  shopper,
  page,
  stalledWorker,
}) => {
  await page.clock.install();
  await shopper.orderSomething({ card: 'pm_fault_slow' });
  await shopper.payButton.click();
  await expect(shopper.status).toContainText('being checked with the bank');
  const reads: Route[] = [];
  await page.route('**/api/trpc/payments.status*', (route) => void reads.push(route), { times: 1 });
  await page.reload();
  await expect.poll(() => reads.length).toBe(1);
  await expect(shopper.status).toContainText('Finding out what became of your earlier payment…');
  await page.clock.fastForward(timeoutMs);
  await expect(shopper.status).toContainText('being checked with the bank');
  stalledWorker.resume();
});

test('the time until the next try is right after the device’s clock was set', async ({ shopper, page }) => {
  await page.clock.install();
  await shopper.orderSomething();
  await page.route('**/api/trpc/payments.pay*', (route) => route.abort('connectionreset'));
  await shopper.payButton.click();
  await expect(shopper.status).toContainText('No answer yet.');
  await page.clock.setSystemTime(Date.now() + 86_400_000);
  await expect(shopper.status).toContainText(/Try [3-8] of 8 is over\. Next in \d{1,2} s/);
});
