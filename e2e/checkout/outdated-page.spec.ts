import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright/test';
import { expect, test } from '../fixtures.ts';

/** As when its tab is chosen again. A headless browser hides no tab by itself. */
const showAgain = (page: Page) =>
  page.evaluate(() => void document.dispatchEvent(new Event('visibilitychange')));

test('an order’s page that was left open shows that it was paid elsewhere when it is chosen again', async ({
  shopper,
  page,
  context,
}) => {
  await shopper.orderSomething();
  const order = await context.newPage();
  await order.goto(page.url().replace('/pay/', '/orders/'));
  const heading = order.getByRole('heading', { level: 1 });
  await expect(heading).toHaveText('Not paid yet');
  await expect(order.locator('summary', { hasText: 'Cancel this order' })).toBeVisible();
  await shopper.payButton.click();
  await shopper.expectReceipt();
  await expect(heading).toHaveText('Not paid yet');
  await showAgain(order);
  await expect(heading).toContainText('Paid once');
  await expect(order.locator('[aria-live=polite]', { hasText: 'Paid once' })).toHaveCount(1);
});

test('a receipt that is reached by Back, or chosen again, shows what was refunded since', async ({
  shopper,
  page,
  demo,
}) => {
  await shopper.orderSomething();
  const paid = page.waitForResponse((response) => response.url().includes('payments.pay'));
  await shopper.payButton.click();
  const { paymentId } = (await (await paid).json()).result.data as { paymentId: string };
  await shopper.expectWholeReceipt();
  const refund = async (amountMinor: number) => {
    const response = await page.request.post(`${demo.urls.app}/api/v1/refunds`, {
      headers: { Authorization: `Bearer ${demo.tenants[0]?.apiKey}`, 'Idempotency-Key': randomUUID() },
      data: { paymentId, amountMinor, reference: randomUUID() },
    });
    expect(response.status()).toBe(201);
  };
  await page.getByRole('link', { name: 'Back to Acme Coffee' }).click();
  await expect(page).toHaveURL(/\/s\/acme$/);
  await refund(450);
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Paid once');
  await expect(page.getByText('Of this, €4.50 was sent back to your card.')).toBeVisible();
  await refund(1000);
  await showAgain(page);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Refunded: €14.50');
});
