import { expect, test } from '../fixtures.ts';

test('the server is killed while paying and starts again: the page goes on by itself, and there is one charge', async ({
  house,
  shopper,
  charges,
  // Otherwise the webhook may bring the truth before the server is killed, and nobody would be paying any more.
  stalledWorker,
}) => {
  const reference = await shopper.orderSomething({ card: 'pm_fault_charged_no_answer' });
  const keys = new Set<string>();
  shopper.page.on('request', (request) => {
    if (request.url().includes('payments.pay')) keys.add(request.headers()['idempotency-key'] ?? 'none');
  });
  await shopper.payButton.click();
  // The money has moved, and the server waits for an answer that does not come: nobody but the provider knows.
  await expect.poll(() => charges(reference)).toHaveLength(1);
  const killed = house.pidOf('app');
  process.kill(-killed, 'SIGKILL');
  stalledWorker.resume();

  await expect(shopper.page.getByText(/went wrong|please try again/i)).toHaveCount(0);
  await shopper.page.waitForURL(/\/orders\//, { timeout: 45_000 });
  await shopper.expectReceipt();
  expect(house.pidOf('app')).not.toBe(killed);
  expect(keys.size).toBe(1);
  expect(await charges(reference)).toMatchObject([{ status: 'succeeded', amount: 1450 }]);
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
    isDown = false;
    return route.continue();
  });
  await shopper.payButton.click();
  await shopper.expectReceipt();
  expect(missing).toBeGreaterThan(0);
  expect(await charges(reference)).toHaveLength(1);
});
