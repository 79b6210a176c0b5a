import { randomUUID } from 'node:crypto';
import { expectAccessible, expectAccessibleEverywhere } from '../accessible.ts';
import { inDatabase } from './database.ts';
import { expect, test } from './sign-in-as.ts';
import { payByApi, payUnknown, refundByApi } from './pay-by-api.ts';

test('the page counts down to the next automatic check, by the database’s clock', async ({
  demo,
  house,
  as,
  stalledWorker: _,
}) => {
  const { operationId } = await payUnknown(demo);
  const plan = (inSeconds: number) =>
    inDatabase(house, (client) =>
      client.query(
        "UPDATE idempotency_record SET reconcile_after = clock_timestamp() + $2 * interval '1 second' WHERE id = $1",
        [operationId, inSeconds],
      ),
    );
  await plan(90);
  const desk = await as('viewer');
  await desk.goto(`/admin/operations/${operationId}`);
  const timer = desk.getByRole('timer');
  await expect(timer).toHaveText(/^in 1 min \d+ s$/);
  const first = await timer.textContent();
  await expect(timer).not.toHaveText(first ?? '');
  // The page follows when the plan changes, and says when the time has come.
  await plan(-1);
  await expect(timer).toHaveText('now');
});

test('misuse of a key names the fields that differed, and shows no value of them', async ({ demo, as }) => {
  const paid = await payByApi(demo);
  const stolen = `STOLEN-${randomUUID()}`;
  await payByApi(demo, { key: paid.key, reference: stolen, amountMinor: 98_765 });
  const desk = await as('viewer');
  await desk.goto(`/admin/operations/${paid.operationId}`);
  const panel = desk.getByRole('region', { name: 'Misuse of its key' });
  await expect(panel).toContainText('The key came with another amountMinor and reference');
  await expect(panel).toContainText('Once');
  const shown = await desk.content();
  expect(shown).not.toContain(stolen);
  expect(shown).not.toMatch(/98[,.]?765|987[,.]65/);
});

test('what was booked, who told us and who was told come to the page while it is looked at', async ({
  demo,
  as,
}) => {
  const paid = await payByApi(demo, { email: `${randomUUID()}@example.com`, amountMinor: 4_750 });
  const desk = await as('viewer');
  await desk.goto(`/admin/operations/${paid.operationId}`);
  const money = desk.getByRole('region', { name: 'Payment' });
  await expect(money.getByRole('listitem').filter({ hasText: 'The provider owes us' })).toContainText(
    '€47.50',
  );
  await expect(money.getByRole('listitem').filter({ hasText: 'We owe the merchant' })).toContainText(
    '-€47.50',
  );
  const messages = desk.getByRole('region', { name: 'Messages' });
  await expect(messages.getByRole('link', { name: 'payment_intent.succeeded' })).toBeVisible();
  await expect(messages).toContainText('payment.succeeded');
  await expect(messages.getByRole('listitem').filter({ hasText: 'Receipt' }).last()).toContainText('kept');
  await expectAccessible(desk);
  // A phone scrolls it in one direction.
  await desk.setViewportSize({ width: 390, height: 800 });
  expect(await desk.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
});

test('a refund tells its story as a refund: paid back at the shop’s request, and nothing of a charge', async ({
  demo,
  as,
}) => {
  const { paymentId } = await payByApi(demo);
  const { operationId } = await refundByApi(demo, paymentId);
  const desk = await as('viewer');
  await desk.goto(`/admin/operations/${operationId}`);
  const story = desk.getByRole('region', { name: 'What happened' });
  await expect(story).toContainText('The provider has paid it back');
  await expect(story).toContainText('by the shop’s request');
  await expect(story).not.toContainText(/charge|shopper/i);
});

test('late money is sent back or kept, each with a reason, and its operation says so', async ({
  demo,
  house,
  as,
  charges,
}) => {
  const [returned, kept] = [await payByApi(demo), await payByApi(demo)];
  await inDatabase(house, (client) =>
    client.query(
      `INSERT INTO late_truth (tenant_id, payment_id, intent_id, reason)
       SELECT tenant_id, id, provider_intent_id, 'order_cancelled' FROM payment WHERE reference = ANY($1)`,
      [[returned.reference, kept.reference]],
    ),
  );
  const desk = await as('operator');
  await desk.goto('/admin');
  const figure = desk.getByRole('link', { name: /to decide on/ });
  const waiting = Number(/(\d+) to decide/.exec((await figure.textContent()) ?? '')?.[1]);
  await figure.click();
  await expect(desk.getByRole('button', { name: 'Keep it' })).toHaveCount(waiting);
  await expectAccessible(desk);

  const decide = async (reference: string, action: RegExp | string) => {
    const row = desk.getByRole('row').filter({ hasText: reference });
    await row.getByRole('button', { name: action }).click();
    const dialog = desk.getByRole('alertdialog');
    await dialog.getByRole('textbox').fill('The shopper did not want it any more.');
    await dialog.getByRole('button').last().click();
    await expect(row).toHaveCount(0);
  };
  await decide(returned.reference, /^Refund/);
  await decide(kept.reference, 'Keep it');
  expect(await charges(returned.reference)).toMatchObject([{ status: 'refunded' }]);
  expect(await charges(kept.reference)).toMatchObject([{ status: 'succeeded' }]);
  await desk.getByRole('link', { name: 'Show the decided ones too' }).click();
  await expect(desk.getByRole('row').filter({ hasText: kept.reference })).toContainText('Kept');
  await desk.getByRole('link', { name: returned.reference }).click();
  const money = desk.getByRole('region', { name: 'Payment' });
  await expect(money).toContainText('Sent back');
  await expect(money).toContainText('Paid back');
});

test('more late truths than a page: none is left out in silence, forth and back, and a phone has room for them', async ({
  demo,
  house,
  signIn,
}) => {
  const { reference } = await payByApi(demo, { shop: 'globex' });
  await inDatabase(house, (client) =>
    client.query(
      `INSERT INTO late_truth (tenant_id, payment_id, intent_id, reason, found_at)
       SELECT tenant_id, id, reference || n, 'charged_after_release', now() - n * interval '1 minute'
       FROM payment, generate_series(1, 60) AS n WHERE reference = $1`,
      [reference],
    ),
  );
  const desk = await signIn('globex');
  await desk.goto('/admin/late');
  await expect(desk.getByText('60 to decide on.')).toBeVisible();
  const rows = desk.getByRole('row').filter({ hasText: reference });
  const times = () =>
    rows.locator('time').evaluateAll((all) => all.map((one) => one.getAttribute('datetime')));
  await expect(rows).toHaveCount(50);
  const first = await times();
  await desk.getByRole('link', { name: 'Next' }).click();
  await expect(rows).toHaveCount(10);
  expect(new Set([...first, ...(await times())]).size).toBe(60);
  await expect(desk.getByRole('link', { name: 'Next' })).toHaveCount(0);
  await desk.getByRole('link', { name: 'Previous' }).click();
  await expect(rows).toHaveCount(50);
  expect(await times()).toEqual(first);
  await expectAccessibleEverywhere(desk);

  // All of a row is within a phone's width: nothing has to be pushed sideways to be seen or tapped.
  await desk.setViewportSize({ width: 390, height: 844 });
  const row = rows.first();
  for (const part of await row.locator('td, a, button').all()) {
    const box = await part.boundingBox();
    expect(box && box.x + box.width).toBeLessThanOrEqual(390);
  }
  await inDatabase(house, (client) =>
    client.query("DELETE FROM late_truth WHERE reason = 'charged_after_release'"),
  );
});
