import type { Page } from 'playwright/test';
import { expectAccessible, expectAccessibleEverywhere } from '../accessible.ts';
import type { Demo } from '../fixtures.ts';
import { inDatabase } from './database.ts';
import { payByApi, refundByApi } from './pay-by-api.ts';
import { expect, test } from './sign-in-as.ts';

const reason = 'The cup arrived broken.';

async function refundsAtProvider(demo: Demo, reference: string): Promise<number[]> {
  const response = await fetch(`${demo.urls.sandbox}/_sandbox/refunds?reference=${reference}`);
  return ((await response.json()) as { data: { amount: number }[] }).data.map(({ amount }) => amount);
}

async function openPayment(page: Page, reference: string): Promise<void> {
  await page.goto(`/admin/payments?q=${reference}`);
  await page.getByRole('link', { name: reference }).click();
  await expect(page.getByRole('heading', { level: 1, name: reference })).toBeVisible();
}

async function fillRefund(page: Page, amount?: string) {
  await page.getByRole('button', { name: 'Refund…' }).click();
  const dialog = page.getByRole('alertdialog');
  if (amount) {
    await dialog.getByLabel('A part of it').check();
    await dialog.getByLabel(/^Amount in/).fill(amount);
  }
  await dialog.getByLabel(/^Why/).fill(reason);
  return dialog;
}

test('a refund twice by double click is one refund in the provider’s ledger', async ({ demo, signInAs }) => {
  const { reference } = await payByApi(demo, { email: 'refund@example.com' });
  const page = await signInAs('operator');
  await openPayment(page, reference);
  const dialog = await fillRefund(page, '5.00');
  await expect(dialog).toContainText(
    'The customer gets €5.00 back on the card. €7.50 of the payment remain refundable.',
  );
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Refund €5.00' }).dblclick();
  await expect(page.getByText('Refunded.', { exact: true })).toBeVisible();
  await expect(page.getByText('€7.50 of €12.50 can be refunded.')).toBeVisible();
  expect(await refundsAtProvider(demo, reference)).toEqual([500]);
  await expect(page.getByRole('heading', { level: 1 }).locator('..')).toContainText('Partly refunded');
  await expect(page.getByRole('region', { name: 'Operator actions' })).toContainText(reason);
  await expectAccessibleEverywhere(page);
});

test('two operators with the same page refund once, and the second one sees it', async ({
  demo,
  signInAs,
}) => {
  const { reference } = await payByApi(demo);
  const [first, second] = [await signInAs('operator'), await signInAs('approver')];
  await openPayment(first, reference);
  await openPayment(second, reference);
  const dialogs = [await fillRefund(first), await fillRefund(second)];
  await Promise.all(dialogs.map((dialog) => dialog.getByRole('button', { name: 'Refund €12.50' }).click()));
  for (const page of [first, second]) {
    await expect(page.getByRole('heading', { level: 1 }).locator('..')).toContainText('Refunded');
  }
  expect(await refundsAtProvider(demo, reference)).toEqual([1250]);
});

test('a refund that another makes while the dialog is open is not made a second time', async ({
  demo,
  signInAs,
}) => {
  const { reference, paymentId } = await payByApi(demo);
  const page = await signInAs('operator');
  await openPayment(page, reference);
  const dialog = await fillRefund(page, '5.00');
  await refundByApi(demo, paymentId, 300);
  // The page behind the dialog shows it, and the dialog goes on showing what the operator has read.
  await expect(page.locator('h1').locator('..')).toContainText('Partly refunded');
  await expect(dialog).toContainText('€7.50 of the payment remain refundable.');
  await dialog.getByRole('button', { name: 'Refund €5.00' }).click();
  await expect(page.getByText('There is another refund of this payment: nothing was done.')).toBeVisible();
  expect(await refundsAtProvider(demo, reference)).toEqual([300]);
  // Opened again, it is about the payment as it is now.
  await expect(await fillRefund(page, '5.00')).toContainText('€4.50 of the payment remain refundable.');
});

test('an open page shows a refund that the merchant’s server makes meanwhile', async ({ demo, signInAs }) => {
  const { reference, paymentId } = await payByApi(demo);
  const page = await signInAs('viewer');
  // Without the stream the page would be rendered again when it is there, and this test would prove nothing.
  const live = page.waitForResponse((response) => response.url().includes('operations.changes'));
  await page.goto(`/admin/payments?q=${reference}`);
  await live;
  await page.getByRole('link', { name: reference }).click();
  const title = page.getByRole('heading', { level: 1, name: reference }).locator('..');
  await expect(title).toContainText('Paid');
  await refundByApi(demo, paymentId);
  await expect(title).toContainText('Refunded');
});

test('a viewer sees the payment and cannot refund it', async ({ demo, signInAs }) => {
  const { reference, paymentId } = await payByApi(demo);
  const page = await signInAs('viewer');
  await openPayment(page, reference);
  await expect(page.getByText('Refunding needs the operator role or above.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Refund…' })).toHaveCount(0);
  const status = await page.evaluate(async (id) => {
    const response = await fetch('/api/trpc/refunds.create', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ paymentId: id, amountMinor: 100, refundsBefore: 0, reason: 'Just because' }),
    });
    return response.status;
  }, paymentId);
  expect(status).toBe(403);
  expect(await refundsAtProvider(demo, reference)).toEqual([]);
});

test('a refund above the shop’s limit needs a second person', async ({ demo, signInAs, app }) => {
  const owner = await signInAs('owner');
  await owner.goto('/admin/settings');
  const limits = owner.getByRole('form', { name: 'Limit for refunds' });
  await limits.getByLabel(/EUR/).fill('10');
  await limits.getByRole('button', { name: 'Save' }).click();
  await expect(limits.getByText('Saved.')).toBeVisible();
  try {
    const { reference } = await payByApi(demo);
    const operator = await signInAs('operator');
    await openPayment(operator, reference);
    const dialog = await fillRefund(operator);
    await expect(dialog).toContainText('It is above €10.00, so another person has to approve it first.');
    await dialog.getByRole('button', { name: 'Propose the refund' }).click();
    await expect(operator.getByText('Another person has to decide.')).toBeVisible();
    expect(await refundsAtProvider(demo, reference)).toEqual([]);

    const approver = await signInAs('approver');
    await approver.goto('/admin/proposals');
    const card = approver.getByRole('article').filter({ hasText: reference });
    await expect(card).toContainText(reason);
    await expectAccessible(approver);
    await card.getByRole('button', { name: 'Approve' }).click();
    await approver.getByRole('alertdialog').getByRole('button', { name: 'Approve' }).click();
    await expect(card.getByText('Refunded.', { exact: true })).toBeVisible();
    expect(await refundsAtProvider(demo, reference)).toEqual([1250]);
  } finally {
    await inDatabase(app, (client) => client.query('DELETE FROM refund_limit'));
  }
});

test('a refund that the provider does not confirm is among the unknown operations, and is found out', async ({
  demo,
  signInAs,
  stalledWorker,
}) => {
  const { reference } = await payByApi(demo);
  const page = await signInAs('operator');
  await openPayment(page, reference);
  await fetch(`${demo.urls.sandbox}/_sandbox/silence`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ reference, seconds: 4 }),
  });
  const dialog = await fillRefund(page);
  await dialog.getByRole('button', { name: 'Refund €12.50' }).click();
  await expect(page.getByText('The provider has not confirmed the refund.')).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 }).locator('..')).toContainText('Refund unknown');
  await page.goto('/admin/operations?status=unknown');
  await expect(page.getByRole('row').filter({ hasText: reference })).toContainText('Unknown');
  stalledWorker.resume();
  await openPayment(page, reference);
  await expect(page.getByRole('heading', { level: 1 }).locator('..')).toContainText('Refunded');
  await expect(page.getByRole('region', { name: 'Operations' })).toContainText('Refunded');
  expect(await refundsAtProvider(demo, reference)).toEqual([1250]);
});

test('a refund whose answer does not come: the dialog says so and can be left, and the refund is made once', async ({
  demo,
  signInAs,
}) => {
  const { reference } = await payByApi(demo);
  const page = await signInAs('operator');
  await page.clock.install();
  await openPayment(page, reference);
  // A part, because the dialog ends with the last of what can be refunded, which the page may learn at any moment.
  const dialog = await fillRefund(page, '5.00');
  // The request is executed, and neither a response nor a reset comes back.
  await page.route('**/api/trpc/refunds.create*', async (route) => void (await route.fetch()), { times: 1 });
  await dialog.getByRole('button', { name: 'Refund €5.00' }).click();
  await expect.poll(() => refundsAtProvider(demo, reference)).toEqual([500]);
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeDisabled();
  await page.clock.fastForward(10_000);
  await expect(dialog.getByRole('status')).toContainText(
    'The refund may be under way. It will not be made twice.',
  );
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Leave it' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.locator('h1').locator('..')).toContainText('Partly refunded');
  expect(await refundsAtProvider(demo, reference)).toEqual([500]);
});
