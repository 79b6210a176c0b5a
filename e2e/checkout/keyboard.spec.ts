import type { Locator, Page } from 'playwright/test';
import { expect, test } from '../fixtures.ts';

/** Presses Tab until the target has the focus. */
async function tabTo(page: Page, target: Locator, key = 'Tab'): Promise<void> {
  await expect(target).toBeVisible();
  for (let press = 0; press < 60; press += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`The keyboard does not reach ${target}.`);
}

test('an order is placed and paid with the keyboard alone', async ({ page, demo, charges, shopper }) => {
  await page.goto(`${demo.urls.app}/s/acme`);
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeFocused();
  await tabTo(page, page.getByRole('link', { name: 'Workshop Mug' }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Workshop Mug' })).toBeVisible();
  await tabTo(page, page.getByLabel('Quantity'));
  await page.keyboard.press('ArrowDown');
  const add = page.getByRole('button', { name: /^Add.* Workshop Mug$/ });
  await expect(add).toHaveAttribute('aria-busy', 'false');
  await tabTo(page, add);
  await page.keyboard.press('Enter');
  const cart = page.getByRole('link', { name: /^Cart/ });
  await expect(cart).toContainText('2');
  await expect(add).toHaveAttribute('aria-busy', 'false');
  await tabTo(page, cart, 'Shift+Tab');
  await page.keyboard.press('Enter');

  await expect(page.getByRole('list', { name: 'In your cart' })).toHaveAttribute('aria-busy', 'false');
  await tabTo(page, page.getByRole('button', { name: 'One less: Workshop Mug' }));
  await page.keyboard.press('Space');
  await expect(page.getByLabel('Quantity of Workshop Mug')).toHaveText('1');
  await expect(page.getByRole('button', { name: 'One less: Workshop Mug' })).toBeFocused();
  await tabTo(page, page.getByRole('button', { name: 'Checkout' }));
  await page.keyboard.press('Enter');

  await page.waitForURL(/\/pay\//);
  const reference = await shopper.orderNumber();
  await tabTo(page, page.getByLabel(/e-mail/i));
  await page.keyboard.type('keys@example.com');
  await tabTo(page, shopper.payButton);
  await page.keyboard.press('Enter');
  await shopper.expectReceipt();
  expect(await charges(reference)).toMatchObject([{ status: 'succeeded', amount: 1800 }]);
});
