import { randomUUID } from 'node:crypto';
import { expectAccessible } from '../accessible.ts';
import { expect, Shopper, test } from '../fixtures.ts';
import { inDatabase } from './database.ts';
import { payByApi } from './pay-by-api.ts';

test('a payment writes one receipt e-mail, the operator reads it in the outbox, and its link opens the receipt on any device', async ({
  shopper,
  signIn,
  openPage,
  demo,
}) => {
  const email = `${randomUUID()}@example.com`;
  const reference = await shopper.orderSomething({ email });
  await shopper.payButton.click();
  await shopper.expectReceipt();

  const page = await signIn('acme');
  const row = page.getByRole('row').filter({ hasText: email });
  await expect(async () => {
    await page.goto('/admin/outbox');
    await expect(row).toHaveCount(1, { timeout: 1_000 });
  }).toPass();
  await expect(row).toContainText('no mail server is set');
  await row.getByRole('link', { name: /Receipt/ }).click();
  const message = page.frameLocator('iframe');
  await expect(message.getByText(reference).first()).toBeVisible();
  for (const text of ['One attempt, one charge', 'Visa •••• 4242', 'Ordered']) {
    await expect(message.getByText(text)).toBeVisible();
  }

  const link = await message.getByRole('link', { name: 'View your order' }).getAttribute('href');
  await expect(page.locator('pre')).toContainText(link ?? 'a link');
  const other = new Shopper(await openPage(), demo);
  await other.page.goto(link ?? '');
  await other.expectReceipt();
  await expect(other.page.getByText(reference).first()).toBeVisible();
  await expect(other.page.getByText('One attempt, one charge')).toBeVisible();
  await expectAccessible(page);
});

test('an e-mail that could not be sent is sent again when an operator retries it', async ({
  demo,
  app,
  signIn,
}) => {
  const email = `${randomUUID()}@example.com`;
  await payByApi(demo, { email });
  const page = await signIn('acme');
  const row = page.getByRole('row').filter({ hasText: email });
  await expect(async () => {
    await page.goto('/admin/outbox');
    await expect(row).toContainText('Kept here', { timeout: 1_000 });
  }).toPass();
  await expect(row.getByRole('button')).toHaveCount(0);
  await inDatabase(app, (client) =>
    client.query(
      "UPDATE email SET status = 'failed', attempts = 21, last_error = 'The server said no.' WHERE to_address = $1",
      [email],
    ),
  );
  await page.reload();
  await expect(row).toContainText('Could not be sent');
  await expect(row).toContainText('The server said no.');
  await row.getByRole('button', { name: 'Send again' }).click();
  // The page reads the row again once the server has queued it; a reload before that would cancel the request.
  await expect(row).not.toContainText('Could not be sent');
  await expect(async () => {
    await page.reload();
    await expect(row).toContainText('Kept here', { timeout: 1_000 });
  }).toPass();
});
