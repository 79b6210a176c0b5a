import { expectAccessibleEverywhere } from '../accessible.ts';
import { expect, type Shopper, test } from '../fixtures.ts';

const openOrder = (shopper: Shopper) => shopper.page.goto(shopper.page.url().replace('/pay/', '/orders/'));

test('the shop has no accessibility violations: list of shops, one shop, a product', async ({
  page,
  demo,
}) => {
  for (const path of ['/', '/s/acme', '/s/globex/lamp']) {
    await page.goto(`${demo.urls.app}${path}`);
    await expectAccessibleEverywhere(page);
  }
});

test('the cart has no accessibility violations: empty, filled', async ({ page, context, demo }) => {
  await page.goto(`${demo.urls.app}/s/acme/cart`);
  await expectAccessibleEverywhere(page);
  await context.addCookies([
    {
      name: 'cart.acme',
      value: '6d2a1f0e-5a43-4b6e-9a5b-0f6a2b7c8d9e~mug.2~tea.1~kettle.1',
      domain: new URL(demo.urls.app).hostname,
      path: '/',
    },
  ]);
  await page.goto(`${demo.urls.app}/s/acme/cart`);
  await expectAccessibleEverywhere(page);
});

test('the order has no accessibility violations: open, cancelled', async ({ shopper, page }) => {
  await shopper.orderSomething();
  await openOrder(shopper);
  await page.getByText('Cancel this order').click();
  await expectAccessibleEverywhere(page);
  await page.getByRole('button', { name: 'Yes, cancel it' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Cancelled');
  await expectAccessibleEverywhere(page);
});

test('the order has no accessibility violations: declined, paid', async ({ shopper, page }) => {
  await shopper.orderSomething({ card: 'pm_card_visa_chargeDeclined' });
  await shopper.payButton.click();
  await expect(shopper.form).toHaveAttribute('data-state', 'done');
  await openOrder(shopper);
  await expect(page.getByRole('heading', { name: /Bank record: no charge/ })).toBeVisible();
  await expectAccessibleEverywhere(page);
  await page.getByRole('link', { name: 'Pay with another card' }).click();
  await shopper.chooseCard('pm_card_visa');
  await shopper.payButton.click();
  await shopper.expectWholeReceipt();
  await expectAccessibleEverywhere(page);
});

test('the order has no accessibility violations while a payment is being checked', async ({
  shopper,
  page,
  stalledWorker: _,
}) => {
  await shopper.orderSomething({ card: 'pm_fault_charged_no_response' });
  await shopper.payButton.click();
  await expect(shopper.form).toHaveAttribute('data-state', 'checking');
  await openOrder(shopper);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Your payment is being checked');
  await expectAccessibleEverywhere(page);
});
