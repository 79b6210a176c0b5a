import { expectAccessible } from '../accessible.ts';
import { expect, test } from '../fixtures.ts';

test('no response after charging: the page says that the payment is being checked, and the operator finds the charge', async ({
  shopper,
  charges,
  signIn,
  stalledWorker: _,
}) => {
  const reference = await shopper.orderSomething({ card: 'pm_fault_charged_no_response' });
  await shopper.payButton.click();
  await expect(shopper.form).toHaveAttribute('data-state', 'checking');
  await expect(shopper.status).toContainText(/being checked/i);
  await expect(shopper.page.getByText(/please try again/i)).toHaveCount(0);

  const operatorPage = await signIn('acme');
  await operatorPage.goto('/admin/operations?status=unknown');
  const row = operatorPage.getByRole('row').filter({ hasText: reference });
  await row.getByRole('button', { name: 'Reconcile now' }).click();
  await expect(operatorPage.getByText('The charge was found').first()).toBeVisible();

  // The shopper's page is updated without a reload.
  await shopper.expectReceipt();
  expect(await charges(reference)).toHaveLength(1);
});

test('an operator sees nothing of another tenant', async ({ shopper, signIn, stalledWorker: _ }) => {
  const reference = await shopper.orderSomething({ card: 'pm_fault_charged_no_response' });
  await shopper.payButton.click();
  await expect(shopper.form).toHaveAttribute('data-state', 'checking');

  const operatorPage = await signIn('globex');
  await operatorPage.goto('/admin');
  await expect(operatorPage.getByText('Globex Stationery').first()).toBeVisible();
  await operatorPage.goto(`/admin/operations?q=${reference}`);
  await expect(operatorPage.locator('#main').getByText('Nothing matches')).toBeVisible();
  await expect(operatorPage.getByRole('row').filter({ hasText: reference })).toHaveCount(0);
});

test('without a session the console redirects to the sign-in page, and its API responds with 401', async ({
  page,
  demo,
}) => {
  await page.goto(`${demo.urls.app}/admin`);
  await expect(page).toHaveURL(/\/admin\/sign-in/);
  const response = await page.request.get(`${demo.urls.app}/api/trpc/operations.list?input=%7B%7D`);
  expect(response.status()).toBe(401);
});

test('the pay page has no accessibility violations while a payment is being checked', async ({
  shopper,
  page,
  stalledWorker: _,
}) => {
  await shopper.orderSomething({ card: 'pm_fault_charged_no_response' });
  await shopper.payButton.click();
  await expect(shopper.form).toHaveAttribute('data-state', 'checking');
  await expectAccessible(page);
});
