import { expectAccessibleEverywhere } from '../accessible.ts';
import { expect, test } from '../fixtures.ts';
import type { RunningApp } from '../running-app.ts';
import { holdResponses } from './tabs.ts';

const isProbe = (request: { url(): string }) => request.url().endsWith('/api/health');
const isRead = (request: { url(): string }) => request.url().includes('payments.ofOrder');

test('after the server was killed while paying, the page continues without a click, and there is one charge', async ({
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
  // The provider has charged and does not respond, so only its ledger has the outcome.
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

/** The supervisor is suspended meanwhile, so that it does not restart the server before the check. */
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

test('when the server is killed between the response and the receipt, the page says paid, and opens the receipt later', async ({
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

test('when the server is killed, the page of an order stays, and follows the payment once the server is back', async ({
  app,
  shopper,
  page,
  stalledWorker,
}) => {
  await shopper.orderSomething({ card: 'pm_fault_charged_no_response' });
  await shopper.payButton.click();
  await expect(shopper.form).toHaveAttribute('data-state', 'checking');
  const followed = page.waitForRequest(/watchOrder/);
  await page.goto(page.url().replace('/pay/', '/orders/'));
  await followed;
  const heading = page.getByRole('heading', { level: 1 });
  await whileServerIsDown(app, async () => {
    // The page has tried to read the order twice, and is still shown.
    await page.waitForEvent('requestfailed', isRead);
    await page.waitForEvent('requestfailed', isRead);
    await expect(heading).toHaveText('Your payment is being checked');
  });
  stalledWorker.resume();
  await expect(heading).toContainText(/paid/i);
});

test('a script of the receipt page that fails to load is fetched again without a click', async ({
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
    // Before a script is missing, the pay page probes a server that is up.
    if (missing > 0) isDown = false;
    return route.continue();
  });
  await shopper.payButton.click();
  await shopper.expectReceipt();
  expect(missing).toBeGreaterThan(0);
  expect(await charges(reference)).toHaveLength(1);
});
