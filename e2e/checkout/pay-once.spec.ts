import { expect, test } from '../fixtures.ts';

test.use({ contextOptions: { reducedMotion: 'no-preference' } });

test('one click pays once, and the receipt says so', async ({ shopper, charges }) => {
  const reference = await shopper.buyNow();
  await shopper.payButton.click();
  await shopper.expectReceipt();
  await expect(shopper.page.getByText(reference).first()).toBeVisible();
  expect(await charges(reference)).toMatchObject([{ status: 'succeeded', amount: 1450, currency: 'eur' }]);
});

test('the receipt’s heading has the focus, so that a screen reader reads the outcome', async ({
  shopper,
}) => {
  await shopper.orderSomething();
  await shopper.payButton.click();
  await shopper.expectReceipt();
  await expect(shopper.page.getByRole('heading', { level: 1 })).toBeFocused();
});

test('row 5: a double click sends one request and pays once', async ({ shopper, charges }) => {
  const reference = await shopper.orderSomething();
  const sent: string[] = [];
  shopper.page.on('request', (request) => {
    if (request.url().includes('payments.pay')) sent.push(request.headers()['idempotency-key'] ?? 'none');
  });
  await shopper.payButton.dblclick();
  await shopper.expectReceipt();
  expect(sent).toHaveLength(1);
  expect(await charges(reference)).toHaveLength(1);
});

test('row 6: when responses are lost, the page retries with the same key and pays once', async ({
  shopper,
  charges,
  context,
}) => {
  const reference = await shopper.orderSomething();
  const keys: string[] = [];
  await context.route('**/api/trpc/payments.pay*', async (route) => {
    keys.push(route.request().headers()['idempotency-key'] ?? 'none');
    if (keys.length > 3) return route.fallback();
    // The server gets the first request and charges; no response reaches the browser until the fourth request.
    if (keys.length === 1) await route.fetch();
    await route.abort('connectionreset');
  });
  await shopper.payButton.click();
  await expect(shopper.status).toContainText(/not be charged twice/i);
  await shopper.expectReceipt();
  expect(keys.length).toBeGreaterThanOrEqual(4);
  expect(new Set(keys).size).toBe(1);
  expect(await charges(reference)).toHaveLength(1);
});

test('row 8: reloaded after a lost response, the page first reads the status of the attempt, and nothing is charged again', async ({
  shopper,
  charges,
  context,
}) => {
  const reference = await shopper.orderSomething();
  let sent = 0;
  await context.route('**/api/trpc/payments.pay*', async (route) => {
    sent += 1;
    if (sent === 1) await route.fetch();
    // The reload cancels a request that is under way, which can then not be aborted.
    await route.abort('connectionreset').catch(() => undefined);
  });
  await shopper.payButton.click();
  await expect(shopper.status).toContainText(/not be charged twice/i);
  await shopper.page.reload();
  await shopper.expectReceipt();
  expect(await charges(reference)).toHaveLength(1);
});

test('row 14: a declined card says what to do, and another card pays the same order once', async ({
  shopper,
  charges,
}) => {
  const reference = await shopper.orderSomething({ card: 'pm_card_visa_chargeDeclined' });
  await shopper.payButton.click();
  await expect(shopper.form).toHaveAttribute('data-state', 'done');
  await expect(shopper.page.getByText(/declined/i).first()).toBeVisible();
  await shopper.chooseCard('pm_card_visa');
  await shopper.payButton.click();
  await shopper.expectReceipt();
  const statuses = (await charges(reference)).map((charge) => charge.status);
  expect(statuses.filter((status) => status === 'succeeded')).toHaveLength(1);
});
