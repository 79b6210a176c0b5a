import { expect, test } from '../fixtures.ts';

test('provider silent after charging: the page says so truthfully, and the operator finds the charge', async ({
  shopper,
  charges,
  demo,
  browser,
  stalledWorker: _,
}) => {
  const reference = await shopper.orderSomething({ card: 'pm_fault_charged_no_answer' });
  await shopper.payButton.click();
  await expect(shopper.form).toHaveAttribute('data-state', 'checking', { timeout: 15_000 });
  await expect(shopper.status).toContainText(/being checked/i);
  await expect(shopper.page.getByText(/please try again/i)).toHaveCount(0);

  const [acme] = demo.tenants;
  if (!acme) throw new Error('The demo has no tenants.');
  const office = await browser.newContext();
  const desk = await office.newPage();
  await desk.goto(`${demo.urls.app}/admin`);
  await desk.getByLabel(/e-mail/i).fill(acme.operator.email);
  await desk.getByLabel(/password/i).fill(acme.operator.password);
  await desk.getByRole('button', { name: /sign in/i }).click();
  const row = desk.getByRole('row').filter({ hasText: reference });
  await row.getByRole('button', { name: 'Reconcile now' }).click();
  await expect(desk.getByText('The charge was found').first()).toBeVisible();
  await office.close();

  // The shopper's page follows by itself.
  await shopper.expectReceipt();
  expect(await charges(reference)).toHaveLength(1);
});

test('an operator sees nothing of another tenant', async ({ shopper, demo, browser, stalledWorker: _ }) => {
  const reference = await shopper.orderSomething({ card: 'pm_fault_charged_no_answer' });
  await shopper.payButton.click();
  await expect(shopper.form).toHaveAttribute('data-state', 'checking', { timeout: 15_000 });

  const globex = demo.tenants.find(({ slug }) => slug === 'globex');
  if (!globex) throw new Error('The demo has no globex.');
  const office = await browser.newContext();
  const desk = await office.newPage();
  await desk.goto(`${demo.urls.app}/admin`);
  await desk.getByLabel(/e-mail/i).fill(globex.operator.email);
  await desk.getByLabel(/password/i).fill(globex.operator.password);
  await desk.getByRole('button', { name: /sign in/i }).click();
  await expect(desk.getByText('Globex Stationery').first()).toBeVisible();
  await expect(desk.getByText(reference)).toHaveCount(0);
  await office.close();
});

test('without a session there is no console', async ({ page, demo }) => {
  await page.goto(`${demo.urls.app}/admin`);
  await expect(page).toHaveURL(/\/admin\/sign-in/);
  const response = await page.request.get(`${demo.urls.app}/api/trpc/admin.operations?input=%7B%7D`);
  expect(response.status()).toBe(401);
});
