import { expectAccessible } from '../accessible.ts';
import { expect, test } from '../fixtures.ts';
import { payByApi, refundByApi } from './pay-by-api.ts';

interface Refund {
  readonly id: string;
  readonly status: string;
}

test('a refund that the bank returned opens an exception, and an operator refunds it again exactly once', async ({
  demo,
  signIn,
  page,
}) => {
  const { paymentId, reference } = await payByApi(demo, { amountMinor: 4_200 });
  await refundByApi(demo, paymentId);
  const readRefunds = async () => {
    const response = await page.request.get(`${demo.urls.sandbox}/_sandbox/refunds?reference=${reference}`);
    return ((await response.json()) as { data: Refund[] }).data;
  };
  const [made] = await readRefunds();
  await page.request.post(`${demo.urls.sandbox}/_sandbox/refunds/fail`, { data: { refund: made?.id } });

  const operatorPage = await signIn('acme');
  const row = operatorPage.getByRole('row').filter({ hasText: reference });
  await expect(async () => {
    await operatorPage.goto('/admin/exceptions?open=1');
    await expect(row).toContainText('the shopper does not have the money', { timeout: 1_000 });
  }).toPass();
  await expectAccessible(operatorPage);
  await row.getByRole('button', { name: 'Refund €42.00 again' }).click();
  const dialog = operatorPage.getByRole('alertdialog');
  await expect(dialog).toContainText('The provider pays €42.00 back');
  await dialog.getByRole('textbox').fill('The shopper has a new card.');
  await dialog.getByRole('button', { name: 'Refund €42.00' }).click();
  // While the dialog is open the rows behind it are inert, and Playwright does not find them.
  await expect(dialog).toBeHidden();
  await expect(row).toHaveCount(0);
  await operatorPage.goto('/admin/exceptions');
  await expect(row).toContainText('Refunded');
  await expect(row).toContainText('The shopper has a new card.');
  expect((await readRefunds()).map(({ status }) => status).sort()).toEqual(['failed', 'succeeded']);

  await row.getByRole('link', { name: reference }).click();
  const ledger = operatorPage.getByRole('heading', { name: 'Ledger' }).locator('+ ul');
  await expect(ledger.getByRole('listitem')).toHaveText([
    ...[/owes us.*€42\.00/, /merchant.*-€42\.00/],
    ...[/refund/, /refund/, /refund came back/, /refund came back/, /refund/, /refund/],
  ]);
});
