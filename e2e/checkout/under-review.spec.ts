import { expectAccessible } from '../accessible.ts';
import { inDatabase } from '../admin/database.ts';
import { expect, test } from '../fixtures.ts';
import type { RunningApp } from '../running-app.ts';

/** A charge of the order's only payment is found after it was released. */
const findCharge = (app: RunningApp, reference: string) =>
  inDatabase(app, (client) =>
    client.query(
      `INSERT INTO reconciliation_exception (tenant_id, payment_id, intent_id, reason)
       SELECT tenant_id, id, 'pi_' || id, 'charged_after_release' FROM payment
       WHERE reference = $1 AND status = 'released'`,
      [reference],
    ),
  );

const decide = (app: RunningApp, reference: string, decision: 'refunded' | 'dismissed') =>
  inDatabase(app, (client) =>
    client.query(
      `UPDATE reconciliation_exception SET status = $2, decided_at = clock_timestamp(), decided_by = 'operator:1'
       WHERE payment_id IN (SELECT id FROM payment WHERE reference = $1)`,
      [reference, decision],
    ),
  );

test('while the shop checks a charge that was found, nothing is offered for payment, and what is decided is shown and announced', async ({
  app,
  shopper,
  page,
}) => {
  const reference = await shopper.orderSomething({ card: 'pm_fault_not_charged_500' });
  await shopper.payButton.click();
  await expect(shopper.status).toContainText('The payment did not happen, nothing was charged.');
  await findCharge(app, reference);

  // The form that was left open, and its address.
  await shopper.payButton.click();
  await expect(page.getByRole('button', { name: 'See the order' })).toBeVisible();
  const form = page.url();
  await page.goto(form);
  const heading = page.getByRole('heading', { level: 1 });
  await expect(heading).toHaveText('A payment of this order is being checked by the shop');
  expect(new URL(page.url()).pathname).toMatch(/^\/orders\//);
  await expect(page.getByText(`To ask, quote ${reference}.`)).toBeVisible();
  await expect(page.getByRole('heading', { name: 'One attempt, being checked by the shop' })).toBeVisible();
  await expect(page.locator('main')).not.toContainText(/nothing was charged|is due/i);
  await expect(page.locator('main a[href^="/pay/"]')).toHaveCount(0);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const size of [
      { width: 390, height: 844 },
      { width: 1280, height: 900 },
    ]) {
      await page.setViewportSize(size);
      await expectAccessible(page);
    }
  }
  await page.getByText('Cancel this order').click();
  await expect(page.getByText('Cancelling does not stop that')).toBeVisible();

  await decide(app, reference, 'refunded');
  await expect(heading).toHaveText('Not paid yet');
  await expect(page.locator('[aria-live=polite]', { hasText: 'Not paid yet' })).toHaveCount(1);
  await expect(page.getByText('An earlier payment was charged, and sent back. €14.50 is due.')).toBeVisible();
  await page.getByRole('link', { name: 'Go to the payment' }).click();
  await page.getByLabel(/e-mail/i).fill('shopper@example.com');
  await shopper.chooseCard('pm_card_visa');
  await shopper.payButton.click();
  await shopper.expectReceipt();
});

test('what the shop keeps is neither asked for nor charged again, and the open pages lead to the order, which says so', async ({
  app,
  shopper,
  page,
  charges,
}) => {
  const reference = await shopper.orderSomething({ card: 'pm_fault_not_charged_500' });
  await shopper.payButton.click();
  await expect(shopper.status).toContainText('The payment did not happen, nothing was charged.');
  const [form, other] = [page.url(), await page.context().newPage()];
  await findCharge(app, reference);
  await other.goto(form);
  const heading = other.getByRole('heading', { level: 1 });
  await expect(heading).toHaveText('A payment of this order is being checked by the shop');
  await decide(app, reference, 'dismissed');
  const kept = 'Charged: €14.50. Nothing more is due';
  await expect(heading).toHaveText(kept);
  await expect(other.locator('[aria-live=polite]', { hasText: kept })).toHaveCount(1);

  await shopper.chooseCard('pm_card_visa');
  await shopper.payButton.click();
  await expect(shopper.status).toContainText('Nothing more is due for this order.');
  await page.getByRole('button', { name: 'See the order' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(kept);
  await expect(page.getByText(`To ask, quote ${reference}.`)).toBeVisible();
  await expect(page.getByRole('heading', { name: 'One attempt, one charge' })).toBeVisible();
  await expect(page.locator('main')).not.toContainText(/nothing was charged|not charged|cancel this order/i);
  await expect(page.locator('main a[href^="/pay/"]')).toHaveCount(0);
  await expectAccessible(page);
  await page.goto(form);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(kept);
  expect(await charges(reference)).toEqual([]);
});
