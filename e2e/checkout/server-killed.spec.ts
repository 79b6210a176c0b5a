import { expectAccessibleEverywhere } from '../accessible.ts';
import { expect, test } from '../fixtures.ts';
import type { RunningApp } from '../running-app.ts';
import { holdResponses } from './tabs.ts';

const isProbe = (request: { url(): string }) => request.url().endsWith('/api/health');

test('the server is killed while paying and starts again: the page goes on by itself, and there is one charge', async ({
  app,
  shopper,
  charges,
  // Otherwise the webhook may complete the payment before the server is killed.
  stalledWorker,
}) => {
  const reference = await shopper.orderSomething({ card: 'pm_fault_charged_no_response' });
  const keys = new Set<string>();
  shopper.page.on('request', (request) => {
    if (request.url().includes('payments.pay')) keys.add(request.headers()['idempotency-key'] ?? 'none');
  });
  await shopper.payButton.click();
  // The money has moved, and the server waits for a response that does not come: only the provider knows.
  await expect.poll(() => charges(reference)).toHaveLength(1);
  const killed = app.pidOf('app');
  process.kill(-killed, 'SIGKILL');
  stalledWorker.resume();

  await expect(shopper.page.getByText(/went wrong|please try again/i)).toHaveCount(0);
  await shopper.page.waitForURL(/\/orders\//, { timeout: 45_000 });
  await shopper.expectReceipt();
  expect(app.pidOf('app')).not.toBe(killed);
  expect(keys.size).toBe(1);
  expect(await charges(reference)).toMatchObject([{ status: 'succeeded', amount: 1450 }]);
});

/** Its supervisor is suspended meanwhile, so that it is not started again before the page was checked. */
async function whileServerIsDown(app: RunningApp, check: () => Promise<void>): Promise<void> {
  const supervisor = app.pidOf('supervisor');
  process.kill(supervisor, 'SIGSTOP');
  try {
    process.kill(-app.pidOf('app'), 'SIGKILL');
    await check();
  } finally {
    process.kill(supervisor, 'SIGCONT');
  }
}

test('the server is killed between the response and the receipt: the page says paid, and opens the receipt when it is back', async ({
  app,
  shopper,
  charges,
  context,
  page,
}) => {
  const reference = await shopper.orderSomething();
  const held = await holdResponses(context);
  await shopper.payButton.click();
  await held.received;
  await whileServerIsDown(app, async () => {
    held.release();
    await expect(shopper.status).toContainText(/Paid\. *You were charged once\. The shop does not answer/);
    await expect(shopper.status).toContainText(`Reference to quote: ${reference}`);
    await expectAccessibleEverywhere(page);
    const probed = page.waitForEvent('requestfailed', isProbe);
    await page.getByRole('button', { name: 'Open the receipt' }).click();
    await probed;
    await expect(shopper.status).toContainText('your receipt opens by itself');
  });
  await shopper.expectReceipt();
  expect(await charges(reference)).toMatchObject([{ status: 'succeeded' }]);
});

test('the server is killed while an order is being followed: its page stays, and goes on when it is back', async ({
  app,
  shopper,
  page,
  stalledWorker,
}) => {
  await shopper.orderSomething({ card: 'pm_fault_charged_no_response' });
  await shopper.payButton.click();
  await expect(shopper.form).toHaveAttribute('data-state', 'checking', { timeout: 15_000 });
  const followed = page.waitForRequest(/watchOrder/);
  await page.goto(page.url().replace('/pay/', '/orders/'));
  await followed;
  const heading = page.getByRole('heading', { level: 1 });
  await whileServerIsDown(app, async () => {
    // It has probed the server twice, and is still there.
    await page.waitForEvent('requestfailed', isProbe);
    await page.waitForEvent('requestfailed', isProbe);
    await expect(heading).toHaveText('Your payment is being checked');
  });
  stalledWorker.resume();
  await expect(heading).toContainText(/paid/i, { timeout: 30_000 });
});

test('a piece of the receipt’s page that does not arrive is fetched by itself', async ({
  shopper,
  page,
  charges,
}) => {
  const reference = await shopper.orderSomething();
  let [isDown, missing] = [true, 0];
  await page.route('**/_next/static/chunks/**', (route) => {
    if (!isDown) return route.continue();
    missing += 1;
    return route.abort();
  });
  await page.route('**/api/health', (route) => {
    // Before that it is the pay page that probes, and the server is up.
    if (missing > 0) isDown = false;
    return route.continue();
  });
  await shopper.payButton.click();
  await shopper.expectReceipt();
  expect(missing).toBeGreaterThan(0);
  expect(await charges(reference)).toHaveLength(1);
});
