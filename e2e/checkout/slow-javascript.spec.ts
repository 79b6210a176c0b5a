import { expect, Shopper, test } from '../fixtures.ts';
import { recordKeys } from './tabs.ts';

test('before JavaScript has loaded, input is kept and clicks send nothing; then there is one charge', async ({
  shopper,
  charges,
  browser,
  demo,
}) => {
  const reference = await shopper.orderSomething();
  // A browser with an empty cache, so that every script has to be fetched.
  const context = await browser.newContext();
  const slow = new Shopper(await context.newPage(), demo);
  const released = Promise.withResolvers<void>();
  await context.route('**/_next/static/chunks/**', async (route) => {
    if (route.request().resourceType() === 'script') await released.promise;
    await route.continue();
  });
  const keys = recordKeys(context);
  await slow.page.goto(shopper.page.url(), { waitUntil: 'commit' });

  const email = slow.page.getByLabel(/e-mail/i);
  await email.fill('early@example.com');
  await slow.page.locator('input[value=pm_card_mastercard]').check();
  await expect(slow.payButton).toBeDisabled();
  await slow.payButton.click({ force: true });
  await email.press('Enter');
  expect(new URL(slow.page.url()).pathname).toBe(new URL(shopper.page.url()).pathname);
  const loading = slow.page.getByText('This page is still loading.');
  await expect(loading).toBeVisible();

  released.resolve();
  await expect(slow.payButton).toBeEnabled();
  await expect(loading).toHaveCount(0);
  await expect(email).toHaveValue('early@example.com');
  await expect(slow.page.locator('input[value=pm_card_mastercard]')).toBeChecked();
  expect(keys).toEqual([]);
  await slow.payButton.click();
  await slow.expectReceipt();
  expect(keys).toHaveLength(1);
  expect(await charges(reference)).toMatchObject([{ status: 'succeeded' }]);
  await context.close();
});

test('a script that does not load is said after a while, with a link that loads the page again', async ({
  shopper,
  browser,
  demo,
}) => {
  await shopper.orderSomething();
  const context = await browser.newContext();
  const broken = new Shopper(await context.newPage(), demo);
  let failed = 0;
  await context.route('**/_next/static/chunks/**', async (route) => {
    if (route.request().resourceType() !== 'script' || failed > 0) return route.continue();
    failed += 1;
    await route.abort('connectionreset');
  });
  await broken.page.goto(shopper.page.url());
  await expect(broken.payButton).toBeDisabled();
  const again = broken.page.getByRole('link', { name: 'Load it again' });
  await expect(again).toBeHidden();
  await expect(again).toBeVisible();
  await expect(broken.payButton).toBeDisabled();
  await again.click();
  await expect(broken.payButton).toBeEnabled();
  await expect(again).toHaveCount(0);
  expect(failed).toBe(1);
  await context.close();
});
