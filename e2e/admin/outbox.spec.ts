import { randomUUID } from 'node:crypto';
import { expect, test } from '../fixtures.ts';

test('a payment writes one receipt e-mail, which the operator can read in the outbox', async ({
  shopper,
  signIn,
}) => {
  const email = `${randomUUID()}@example.com`;
  const reference = await shopper.orderSomething({ email });
  await shopper.payButton.click();
  await shopper.expectReceipt();

  const desk = await signIn('acme');
  const row = desk.getByRole('row').filter({ hasText: email });
  await expect(async () => {
    await desk.goto('/admin/outbox');
    await expect(row).toHaveCount(1);
  }).toPass();
  await expect(row).toContainText('no mail server is set');
  await row.getByRole('link', { name: /Receipt/ }).click();
  await expect(desk.frameLocator('iframe').getByText(reference).first()).toBeVisible();
});
