import type { Locator } from 'playwright/test';
import { expect, Shopper, test } from '../fixtures.ts';
import { recordKeys } from './tabs.ts';

/** For clicks that do not wait until the button is ready, as Playwright's own click does. */
async function middleOf(button: Locator): Promise<{ x: number; y: number }> {
  await button.scrollIntoViewIfNeeded();
  const box = await button.boundingBox();
  if (!box) throw new Error('The button is not there.');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

test('row 5: Enter and a click together send one request', async ({ shopper, charges, context }) => {
  const reference = await shopper.orderSomething();
  const keys = recordKeys(context);
  const { x, y } = await middleOf(shopper.payButton);
  const { page } = shopper;
  await Promise.all([page.getByLabel(/e-mail/i).press('Enter'), page.mouse.click(x, y)]);
  await shopper.expectReceipt();
  expect(keys).toHaveLength(1);
  expect(await charges(reference)).toHaveLength(1);
});

test('row 5: three taps on a phone send one request', async ({ browser, charges, demo }) => {
  const context = await browser.newContext({
    hasTouch: true,
    isMobile: true,
    viewport: { width: 390, height: 844 },
  });
  const shopper = new Shopper(await context.newPage(), demo);
  const reference = await shopper.orderSomething();
  const keys = recordKeys(context);
  const { x, y } = await middleOf(shopper.payButton);
  const { touchscreen } = shopper.page;
  await Promise.all([touchscreen.tap(x, y), touchscreen.tap(x, y), touchscreen.tap(x, y)]);
  await shopper.expectReceipt();
  expect(keys).toHaveLength(1);
  expect(await charges(reference)).toHaveLength(1);
  await context.close();
});

test('errors are summarised in one region that gets the focus, and the payment is made by keyboard alone', async ({
  shopper,
  charges,
  page,
}) => {
  const reference = await shopper.orderSomething();
  const email = page.getByLabel(/e-mail/i);
  await email.fill('not an address');
  await email.press('Enter');
  const summary = page.getByRole('region', { name: 'Please correct one thing' });
  await expect(summary).toBeFocused();
  await expect(email).toHaveValue('not an address');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(email).toBeFocused();
  await email.fill('shopper@example.com');
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowDown');
  await expect(page.locator('input[value=pm_card_mastercard]')).toBeChecked();
  await page.keyboard.press('Enter');
  await shopper.expectReceipt();
  expect(await charges(reference)).toHaveLength(1);
});

test('after paying, Back leads to the shop, and the form’s address to the receipt', async ({
  shopper,
  charges,
  page,
}) => {
  const reference = await shopper.buyNow();
  const form = page.url();
  await shopper.payButton.click();
  await shopper.expectReceipt();
  await page.goBack();
  await expect(page).toHaveURL(/\/s\/acme/);
  await page.goForward();
  await shopper.expectReceipt();
  await page.goto(form);
  await shopper.expectReceipt();
  expect(await charges(reference)).toHaveLength(1);
});

test('Back to the form of an order that was paid elsewhere shows the receipt, not the form', async ({
  shopper,
  charges,
  page,
  openPage,
  demo,
}) => {
  const reference = await shopper.orderSomething();
  const form = page.url();
  await page.getByRole('link', { name: 'Back to the cart' }).click();
  await expect(page).toHaveURL(/\/s\/acme/);

  const other = new Shopper(await openPage(), demo);
  await other.page.goto(form);
  await other.page.getByLabel(/e-mail/i).fill('other@example.com');
  await other.payButton.click();
  await other.expectReceipt();

  await page.goBack();
  await shopper.expectReceipt();
  expect(await charges(reference)).toHaveLength(1);
});
