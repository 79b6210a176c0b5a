import type { Route } from 'playwright/test';
import { expectAccessible } from '../accessible.ts';
import { expect, test } from '../fixtures.ts';
import { holdResponses, ignoreClosedPage, openSameOrder, recordKeys } from './tabs.ts';

test('Pay in two tabs at the same moment sends one request and charges once, and both show the receipt', async ({
  shopper,
  charges,
  context,
  demo,
}) => {
  const reference = await shopper.orderSomething();
  const other = await openSameOrder(shopper, demo);
  await other.page.getByLabel(/e-mail/i).fill('other@example.com');
  const keys = recordKeys(context);
  await Promise.all([shopper.payButton.click(), other.payButton.click()]);
  await Promise.all([shopper.expectReceipt(), other.expectReceipt()]);
  expect(keys).toHaveLength(1);
  expect(await charges(reference)).toMatchObject([{ status: 'succeeded' }]);
});

test('while one tab pays the others say so, and all show the outcome', async ({
  shopper,
  charges,
  context,
  demo,
}) => {
  const reference = await shopper.orderSomething({ card: 'pm_card_visa_chargeDeclinedInsufficientFunds' });
  const other = await openSameOrder(shopper, demo);
  const held = await holdResponses(context);
  await other.page.getByLabel(/e-mail/i).fill('other@example.com');
  await shopper.payButton.click();
  await expect(other.status).toContainText('This order is being paid in another tab.');
  await expect(other.page.getByRole('button', { name: 'Being paid in another tab…' })).toBeVisible();
  // What is shown there is what is being paid with.
  await expect(other.page.getByLabel(/e-mail/i)).toHaveValue('shopper@example.com');
  await expect(other.page.locator('input[name=paymentMethod]:checked')).toHaveValue(
    'pm_card_visa_chargeDeclinedInsufficientFunds',
  );
  await expectAccessible(other.page);
  // A tab that is opened now shows the same.
  const late = await openSameOrder(shopper, demo);
  await expect(late.status).toContainText('This order is being paid in another tab.');
  held.release();
  for (const tab of [shopper, other, late]) await expect(tab.status).toContainText('not enough money');

  await other.chooseCard('pm_card_visa');
  await other.page.getByLabel(/e-mail/i).fill('other@example.com');
  await other.payButton.click();
  await Promise.all([shopper.expectReceipt(), other.expectReceipt(), late.expectReceipt()]);
  const succeeded = (await charges(reference)).filter(({ status }) => status === 'succeeded');
  expect(succeeded).toHaveLength(1);
});

test('when the paying tab is closed, the other reads the status of the attempt and shows the receipt', async ({
  shopper,
  charges,
  context,
  demo,
}) => {
  const reference = await shopper.orderSomething();
  const other = await openSameOrder(shopper, demo);
  const keys = recordKeys(context);
  const statusReads: string[] = [];
  other.page.on('request', (request) => {
    if (request.url().includes('payments.status')) statusReads.push(request.url());
  });
  // The server charges, and its response never reaches the tab that sent the request.
  const dropResponse = (route: Route) => ignoreClosedPage(route.fetch().then(() => undefined));
  await shopper.page.route('**/api/trpc/payments.pay*', dropResponse);
  await shopper.payButton.click();
  await expect(other.form).toHaveAttribute('data-state', 'following');
  await expect.poll(async () => (await charges(reference)).length).toBe(1);
  expect(statusReads).toEqual([]);
  await shopper.page.close();
  await other.expectReceipt();
  expect(statusReads.length).toBeGreaterThan(0);
  expect(new Set(keys).size).toBe(1);
  expect(await charges(reference)).toHaveLength(1);
});

test('every tab follows an outcome that is being checked, and they share one stream', async ({
  shopper,
  charges,
  context,
  demo,
}) => {
  const reference = await shopper.orderSomething({ card: 'pm_fault_processing' });
  const other = await openSameOrder(shopper, demo);
  const streams: string[] = [];
  context.on('request', (request) => {
    if (request.url().includes('payments.watch')) streams.push(request.url());
  });
  await shopper.payButton.click();
  await expect(other.status).toContainText('The payment from your other tab is being checked with the bank.');
  await Promise.all([shopper.expectReceipt(), other.expectReceipt()]);
  expect(streams.filter((url) => !url.includes('watchOrder'))).toHaveLength(1);
  expect(await charges(reference)).toHaveLength(1);
});
