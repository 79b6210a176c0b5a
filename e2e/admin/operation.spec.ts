import { randomUUID } from 'node:crypto';
import { expectAccessible, expectAccessibleEverywhere } from '../accessible.ts';
import { inDatabase } from './database.ts';
import { payByApi, payUnknown, refundByApi } from './pay-by-api.ts';
import { expect, test } from './sign-in-as.ts';

test('the page counts down to the next automatic check, by the database’s clock', async ({
  demo,
  app,
  signInAs,
  stalledWorker: _,
}) => {
  const { operationId } = await payUnknown(demo);
  const scheduleCheck = (inSeconds: number) =>
    inDatabase(app, (client) =>
      client.query(
        "UPDATE idempotency_record SET next_check_at = clock_timestamp() + $2 * interval '1 second' WHERE id = $1",
        [operationId, inSeconds],
      ),
    );
  await scheduleCheck(90);
  const page = await signInAs('viewer');
  await page.goto(`/admin/operations/${operationId}`);
  const timer = page.getByRole('timer');
  await expect(timer).toHaveText(/^in 1 min \d+ s$/);
  const first = await timer.textContent();
  await expect(timer).not.toHaveText(first ?? '');
  // The page follows a change of the schedule, and shows when the check is due.
  await scheduleCheck(-1);
  await expect(timer).toHaveText('now');
});

test('misuse of a key names the fields that differed, and shows no value of them', async ({
  demo,
  signInAs,
}) => {
  const paid = await payByApi(demo);
  const stolen = `STOLEN-${randomUUID()}`;
  await payByApi(demo, { key: paid.key, reference: stolen, amountMinor: 98_765 });
  const page = await signInAs('viewer');
  await page.goto(`/admin/operations/${paid.operationId}`);
  const panel = page.getByRole('region', { name: 'Misuse of its key' });
  await expect(panel).toContainText('The key was sent again with another amountMinor and reference');
  await expect(panel).toContainText('Once');
  const shown = await page.content();
  expect(shown).not.toContain(stolen);
  expect(shown).not.toMatch(/98[,.]?765|987[,.]65/);
});

test('ledger entries, webhooks and messages appear on the page while it is open', async ({
  demo,
  signInAs,
}) => {
  const paid = await payByApi(demo, { email: `${randomUUID()}@example.com`, amountMinor: 4_750 });
  const page = await signInAs('viewer');
  await page.goto(`/admin/operations/${paid.operationId}`);
  const money = page.getByRole('region', { name: 'Payment' });
  await expect(money.getByRole('listitem').filter({ hasText: 'The provider owes us' })).toContainText(
    '€47.50',
  );
  await expect(money.getByRole('listitem').filter({ hasText: 'We owe the merchant' })).toContainText(
    '-€47.50',
  );
  const messages = page.getByRole('region', { name: 'Messages' });
  await expect(messages.getByRole('link', { name: 'payment_intent.succeeded' })).toBeVisible();
  await expect(messages).toContainText('payment.succeeded');
  await expect(messages.getByRole('listitem').filter({ hasText: 'Receipt' }).last()).toContainText('kept');
  await expectAccessible(page);
  // On a phone the page scrolls vertically only.
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
});

test('the timeline of a refund names the refund and who requested it, not a charge', async ({
  demo,
  signInAs,
}) => {
  const { paymentId } = await payByApi(demo);
  const { operationId } = await refundByApi(demo, paymentId);
  const page = await signInAs('viewer');
  await page.goto(`/admin/operations/${operationId}`);
  const timeline = page.getByRole('region', { name: 'What happened' });
  await expect(timeline).toContainText('The provider has paid it back');
  await expect(timeline).toContainText('by the shop’s request');
  await expect(timeline).not.toContainText(/charge|shopper/i);
});

test('an exception is refunded or dismissed with a reason, and the page of its operation shows it', async ({
  demo,
  app,
  signInAs,
  charges,
}) => {
  const [returned, kept, twice] = [await payByApi(demo), await payByApi(demo), await payByApi(demo)];
  await inDatabase(app, (client) =>
    client.query(
      `INSERT INTO reconciliation_exception (tenant_id, payment_id, intent_id, reason)
       SELECT tenant_id, id, provider_intent_id, 'order_cancelled' FROM payment WHERE reference = ANY($1)
       UNION ALL SELECT tenant_id, id, 'pi_' || id, 'charged_after_release' FROM payment WHERE reference = $2`,
      [[returned.reference, kept.reference], twice.reference],
    ),
  );
  const page = await signInAs('operator');
  await page.goto('/admin');
  const figure = page.getByRole('link', { name: /\d+ to decide/ });
  const waiting = Number(/(\d+) to decide/.exec((await figure.textContent()) ?? '')?.[1]);
  await figure.click();
  await expect(page.getByRole('button', { name: 'Keep it' })).toHaveCount(waiting);
  await expectAccessible(page);

  // What keeping means depends on whether the charge is in the books.
  for (const [{ reference }, meaning] of [
    [kept, /^No money moves: the shop keeps it\. Choose this only if the shopper gets something for it\.$/],
    [twice, /counts as paid: the shopper is not asked for it, and it can’t be paid again/],
  ] as const) {
    await page
      .getByRole('row')
      .filter({ hasText: reference })
      .getByRole('button', { name: 'Keep it' })
      .click();
    const dialog = page.getByRole('alertdialog');
    await expect(dialog.getByText(meaning)).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
  }

  const decide = async (reference: string, action: RegExp | string) => {
    const row = page.getByRole('row').filter({ hasText: reference });
    await row.getByRole('button', { name: action }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('textbox').fill('The shopper did not want it any more.');
    await dialog.getByRole('button').last().click();
    await expect(row).toHaveCount(0);
  };
  await decide(returned.reference, /^Refund/);
  await decide(kept.reference, 'Keep it');
  expect(await charges(returned.reference)).toMatchObject([{ status: 'refunded' }]);
  expect(await charges(kept.reference)).toMatchObject([{ status: 'succeeded' }]);
  await page.getByRole('link', { name: 'Show the decided ones too' }).click();
  await expect(page.getByRole('row').filter({ hasText: kept.reference })).toContainText('Kept');
  await page.getByRole('link', { name: returned.reference }).click();
  const money = page.getByRole('region', { name: 'Payment' });
  await expect(money).toContainText('Refunded');
  await expect(money).toContainText('Paid back');
});

test('with more exceptions than fit a page, paging forward and back shows each once, and a phone shows whole rows', async ({
  demo,
  app,
  signIn,
}) => {
  const { reference } = await payByApi(demo, { shop: 'globex' });
  await inDatabase(app, (client) =>
    client.query(
      `INSERT INTO reconciliation_exception (tenant_id, payment_id, intent_id, reason, found_at)
       SELECT tenant_id, id, reference || n, 'charged_after_release', now() - n * interval '1 minute'
       FROM payment, generate_series(1, 60) AS n WHERE reference = $1`,
      [reference],
    ),
  );
  const page = await signIn('globex');
  await page.goto('/admin/exceptions');
  await expect(page.getByText('60 to decide.')).toBeVisible();
  const rows = page.getByRole('row').filter({ hasText: reference });
  const times = () =>
    rows.locator('time').evaluateAll((all) => all.map((one) => one.getAttribute('datetime')));
  await expect(rows).toHaveCount(50);
  const first = await times();
  await page.getByRole('link', { name: 'Next' }).click();
  await expect(rows).toHaveCount(10);
  expect(new Set([...first, ...(await times())]).size).toBe(60);
  await expect(page.getByRole('link', { name: 'Next' })).toHaveCount(0);
  await page.getByRole('link', { name: 'Previous' }).click();
  await expect(rows).toHaveCount(50);
  expect(await times()).toEqual(first);
  await expectAccessibleEverywhere(page);

  // Every part of a row is within a phone's width, so that it can be read and tapped without scrolling sideways.
  await page.setViewportSize({ width: 390, height: 844 });
  const row = rows.first();
  for (const part of await row.locator('td, a, button').all()) {
    const box = await part.boundingBox();
    expect(box && box.x + box.width).toBeLessThanOrEqual(390);
  }
  await inDatabase(app, (client) =>
    client.query("DELETE FROM reconciliation_exception WHERE reason = 'charged_after_release'"),
  );
});
