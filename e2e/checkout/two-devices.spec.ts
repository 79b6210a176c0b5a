import { expect, Shopper, test } from '../fixtures.ts';
import { recordKeys, sendTogether } from './tabs.ts';

/** If the other device paid first, the page offers a button that opens the receipt. */
async function endAtReceipt(device: Shopper): Promise<void> {
  const openReceipt = device.page
    .locator('form[data-state="refused"]')
    .getByRole('button', { name: 'Open the receipt' });
  await expect(openReceipt.or(device.page.getByRole('heading', { name: /^Paid once/ }))).toBeVisible();
  if (await openReceipt.isVisible()) await openReceipt.click();
  await device.expectReceipt();
}

test('row 9: two devices pay the same order at once, under two keys: one charge, and both pages end at the receipt', async ({
  shopper,
  openPage,
  demo,
  charges,
}) => {
  const reference = await shopper.orderSomething();
  const other = new Shopper(await openPage(), demo);
  await other.page.goto(shopper.page.url());
  await other.page.getByLabel(/e-mail/i).fill('phone@example.com');
  await expect(other.payButton).toBeEnabled();

  const contexts = [shopper.page.context(), other.page.context()];
  const keys = contexts.map(recordKeys);
  await sendTogether(contexts);
  await Promise.all([shopper.payButton.click(), other.payButton.click()]);
  await expect.poll(() => charges(reference)).toHaveLength(1);
  expect(new Set(keys.flat()).size).toBe(2);
  await Promise.all([endAtReceipt(shopper), endAtReceipt(other)]);
  for (const { page } of [shopper, other]) {
    await expect(page.getByRole('heading', { name: /Bank record: 1 charge/ })).toBeVisible();
  }
  expect(await charges(reference)).toMatchObject([{ status: 'succeeded', amount: 1450 }]);
});

test('the order’s link on another device shows that the payment is being checked, and then that it was paid', async ({
  shopper,
  openPage,
  signIn,
  charges,
  stalledWorker: _,
}) => {
  const reference = await shopper.orderSomething({ card: 'pm_fault_charged_no_response' });
  await shopper.payButton.click();
  await expect(shopper.form).toHaveAttribute('data-state', 'checking');

  const link = await openPage();
  await link.goto(shopper.page.url().replace('/pay/', '/orders/'));
  await expect(link.getByRole('heading', { level: 1 })).toHaveText('Your payment is being checked');
  await expect(link.getByRole('status')).toContainText('Please don’t pay again.');
  await expect(link.getByText('One attempt, outcome not known yet')).toBeVisible();
  await expect(link.getByText(/Bank record/)).toHaveCount(0);

  const operatorPage = await signIn('acme');
  await operatorPage.goto('/admin/operations');
  const row = operatorPage.getByRole('row').filter({ hasText: reference });
  await row.getByRole('button', { name: 'Reconcile now' }).click();
  await expect(operatorPage.getByText('The charge was found').first()).toBeVisible();

  // Both pages are updated without a reload, and the outcome is announced to screen readers.
  await expect(link.getByRole('heading', { level: 1 })).toContainText('Paid once');
  await expect(link.locator('[aria-live=polite]', { hasText: /^Paid once: €14\.50$/ })).toHaveCount(1);
  await expect(link.getByRole('heading', { name: /Bank record: 1 charge/ })).toBeVisible();
  await shopper.expectReceipt();
  expect(await charges(reference)).toHaveLength(1);
});
