import { randomUUID } from 'node:crypto';
import { expect, test } from '../fixtures.ts';

test('the receipt prints on one page, without navigation and buttons', async ({ shopper, page }) => {
  await shopper.orderSomething({ card: 'pm_card_visa_chargeDeclined' });
  await shopper.payButton.click();
  await expect(shopper.form).toHaveAttribute('data-state', 'done');
  await shopper.chooseCard('pm_card_visa');
  await shopper.payButton.click();
  await shopper.expectWholeReceipt();
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await expect(page.getByRole('button', { name: 'Print' })).toBeHidden();
  await expect(page.getByRole('link', { name: 'Back to Acme Coffee' })).toBeHidden();
  await expect(page.getByRole('contentinfo')).toBeHidden();
  await expect(page.getByText('Yirgacheffe, 250 g')).toBeVisible();
  await expect(page.locator('body')).toHaveCSS('background-color', 'rgb(255, 255, 255)');
  const paper = (await page.pdf({ format: 'A5' })).toString('latin1');
  expect(paper.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
});

test('the receipt is shown while the provider does not respond, and says so', async ({
  app,
  shopper,
  page,
}) => {
  await shopper.orderSomething();
  await shopper.payButton.click();
  await shopper.expectReceipt();
  const sandbox = app.pidOf('sandbox');
  process.kill(sandbox, 'SIGSTOP');
  try {
    await page.reload({ waitUntil: 'commit' });
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Paid once', { timeout: 2_000 });
    await expect(page.getByText('The payment provider could not be reached just now.')).toBeVisible();
  } finally {
    process.kill(sandbox, 'SIGCONT');
  }
  await page.reload();
  await expect(page.getByRole('heading', { name: /Bank record: 1 charge/ })).toBeVisible();
});

test('a refund is on the receipt, and in the provider’s ledger', async ({ shopper, page, demo }) => {
  await shopper.orderSomething();
  const paid = page.waitForResponse((response) => response.url().includes('payments.pay'));
  await shopper.payButton.click();
  const { paymentId } = (await (await paid).json()).result.data as { paymentId: string };
  await shopper.expectReceipt();
  const refund = (amountMinor: number) =>
    page.request.post(`${demo.urls.app}/api/v1/refunds`, {
      headers: { Authorization: `Bearer ${demo.tenants[0]?.apiKey}`, 'Idempotency-Key': randomUUID() },
      data: { paymentId, amountMinor, reference: randomUUID() },
    });
  expect((await refund(450)).status()).toBe(201);
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Paid once');
  await expect(page.getByRole('region', { name: 'Refund' })).toContainText('€4.50 sent back to your card');
  await expect(page.getByText('of which €4.50 was sent back')).toBeVisible();
  expect((await refund(1000)).status()).toBe(201);
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Refunded: €14.50');
});

test('a refund that the bank returned is shown on the receipt, and the order is paid again', async ({
  shopper,
  page,
  demo,
}) => {
  const reference = await shopper.orderSomething();
  const paid = page.waitForResponse((response) => response.url().includes('payments.pay'));
  await shopper.payButton.click();
  const { paymentId } = (await (await paid).json()).result.data as { paymentId: string };
  await shopper.expectReceipt();
  const refunded = await page.request.post(`${demo.urls.app}/api/v1/refunds`, {
    headers: { Authorization: `Bearer ${demo.tenants[0]?.apiKey}`, 'Idempotency-Key': randomUUID() },
    data: { paymentId, reference: randomUUID() },
  });
  expect(refunded.status()).toBe(201);
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Refunded: €14.50');
  const ledger = await page.request.get(`${demo.urls.sandbox}/_sandbox/refunds?reference=${reference}`);
  const [made] = ((await ledger.json()) as { data: { id: string }[] }).data;
  await page.request.post(`${demo.urls.sandbox}/_sandbox/refunds/fail`, { data: { refund: made?.id } });
  // The receipt shows it after the worker has processed the webhook.
  await expect(async () => {
    await page.reload();
    await expect(page.getByRole('region', { name: 'Refund' })).toContainText('your bank returned it', {
      timeout: 500,
    });
  }).toPass();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Paid once');
});

test('cancelling an order needs a confirmation, which can be declined, and a cancelled order cannot be paid', async ({
  shopper,
  page,
  charges,
}) => {
  const reference = await shopper.orderSomething();
  const payPage = page.url();
  await page.goto(payPage.replace('/pay/', '/orders/'));
  await expect(page.getByRole('button', { name: 'Yes, cancel it' })).toBeHidden();
  await page.getByText('Cancel this order').click();
  await expect(page.getByText('a cancelled order cannot be paid any more')).toBeVisible();
  await page.getByRole('link', { name: 'Keep the order' }).click();
  await expect(page.getByRole('button', { name: 'Yes, cancel it' })).toBeHidden();
  await expect(page.locator('summary', { hasText: 'Cancel this order' })).toBeFocused();
  await page.getByText('Cancel this order').click();
  await page.getByRole('button', { name: 'Yes, cancel it' }).dblclick();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Cancelled');
  // The button is gone, so a screen reader reads the outcome.
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await expect(page.getByRole('link', { name: 'help@acme.example' })).toHaveAttribute(
    'href',
    `mailto:help@acme.example?subject=${reference}`,
  );
  // The form's address redirects to the cancelled order, instead of showing a form that cannot be sent.
  await page.goto(payPage);
  await page.waitForURL(/\/orders\//);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Cancelled');
  expect(await charges(reference)).toEqual([]);
});

test('an order that is cancelled during a payment says so, and says that it was paid when the charge is found', async ({
  shopper,
  page,
  signIn,
  charges,
  stalledWorker: _,
}) => {
  const reference = await shopper.orderSomething({ card: 'pm_fault_charged_no_response' });
  await shopper.payButton.click();
  await expect(shopper.form).toHaveAttribute('data-state', 'checking');
  await page.goto(page.url().replace('/pay/', '/orders/'));
  await page.getByText('Cancel this order').click();
  await expect(page.getByText('what the bank is already processing is not stopped')).toBeVisible();
  await page.getByRole('button', { name: 'Yes, cancel it' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(
    'Cancelled, while a payment is being checked',
  );

  const operatorPage = await signIn('acme');
  await operatorPage.goto('/admin/operations');
  await operatorPage
    .getByRole('row')
    .filter({ hasText: reference })
    .getByRole('button', { name: 'Reconcile now' })
    .click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Paid after it was cancelled');
  expect(await charges(reference)).toHaveLength(1);
});

test('the order’s address stays private: no referrer, no index, no cache', async ({ shopper, page }) => {
  await shopper.orderSomething();
  for (const url of [page.url(), page.url().replace('/pay/', '/orders/')]) {
    const headers = (await page.goto(url))?.headers() ?? {};
    expect(headers['referrer-policy']).toBe('same-origin');
    expect(headers['x-robots-tag']).toContain('noindex');
    expect(headers['cache-control']).toContain('no-store');
    await expect(page.locator('meta[name=robots]').first()).toHaveAttribute('content', /noindex/);
  }
});
