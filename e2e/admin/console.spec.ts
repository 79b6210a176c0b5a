import { expectAccessible } from '../accessible.ts';
import { expect, test } from '../fixtures.ts';
import { inDatabase } from './database.ts';
import { payByApi } from './pay-by-api.ts';

const rooms = [
  ['Overview', '/admin', 'Overview'],
  ['Operations', '/admin/operations', 'Operations'],
  ['Queue', '/admin/queue', 'Operators’ queue'],
  ['Late truths', '/admin/late', 'Late truths'],
  ['Webhooks', '/admin/webhooks', 'Webhooks'],
  ['Outbox', '/admin/outbox', 'Outbox'],
  ['Proposals', '/admin/proposals', 'Proposals'],
  ['Audit', '/admin/audit', 'Audit log'],
  ['Members', '/admin/members', 'Members'],
  ['API keys', '/admin/api-keys', 'API keys'],
  ['Settings', '/admin/settings', 'Settings'],
] as const;

test('every room of the console opens from its navigation and has no accessibility violations', async ({
  signIn,
  shopper,
}) => {
  await shopper.orderSomething();
  await shopper.payButton.click();
  await shopper.expectReceipt();
  const desk = await signIn('acme');
  for (const [name, path, heading] of rooms) {
    await desk.getByRole('navigation', { name: 'Console' }).getByRole('link', { name, exact: true }).click();
    await expect(desk).toHaveURL(new RegExp(`${path}$`));
    await expect(desk.getByRole('heading', { level: 1, name: heading })).toBeVisible();
    await expectAccessible(desk);
  }
});

test('the webhook inbox shows what came of each event, and looking again is harmless', async ({
  signIn,
  shopper,
  charges,
}) => {
  const reference = await shopper.orderSomething();
  await shopper.payButton.click();
  await shopper.expectReceipt();
  const desk = await signIn('acme');
  const row = desk.getByRole('row').filter({ hasText: 'payment_intent.succeeded' }).first();
  await expect(async () => {
    await desk.goto('/admin/webhooks');
    await expect(row).toContainText('Was settled already');
  }).toPass();
  await row.getByRole('button', { name: 'Look again' }).click();
  await expect(row.getByText('Being looked into')).toBeVisible();
  expect(await charges(reference)).toHaveLength(1);
});

test('a page that is slow to come says so in its own shape, and one that cannot be read offers to try again', async ({
  signIn,
  house,
}) => {
  const desk = await signIn('acme');
  const rooms = desk.getByRole('navigation', { name: 'Console' });
  // The shape of a page comes ahead of it, by its link: somebody who has been there has it for certain.
  for (const name of ['Operations', 'Late truths', 'Overview']) {
    await rooms.getByRole('link', { name }).click();
    await expect(desk.getByRole('heading', { level: 1, name })).toBeVisible();
  }
  await inDatabase(house, async (client) => {
    // Whoever reads these tables waits.
    await client.query('BEGIN; LOCK TABLE saved_view, late_truth IN ACCESS EXCLUSIVE MODE');
    await rooms.getByRole('link', { name: 'Operations' }).click();
    await expect(desk.getByRole('status', { name: 'Loading operations' })).toBeVisible();
    await rooms.getByRole('link', { name: 'Late truths' }).click();
    await expect(desk.getByRole('status', { name: 'Loading', exact: true })).toBeVisible();
    await client.query('COMMIT');
    await expect(desk.getByRole('heading', { level: 1, name: 'Late truths' })).toBeVisible();

    await client.query('ALTER TABLE late_truth RENAME TO late_truth_away');
    try {
      await desk.reload();
      await expect(desk.getByRole('heading', { name: 'This could not be shown' })).toBeVisible();
      await expect(rooms).toBeVisible();
      await expectAccessible(desk);
    } finally {
      await client.query('ALTER TABLE late_truth_away RENAME TO late_truth');
    }
    await desk.getByRole('button', { name: 'Load it again' }).click();
    await expect(desk.getByRole('heading', { level: 1, name: 'Late truths' })).toBeVisible();
  });
});

test('what is for another role says so', async ({ signIn }) => {
  const desk = await signIn('acme');
  await desk.goto('/admin/not-allowed');
  await expect(desk.getByRole('heading', { name: 'This is for another role' })).toBeVisible();
  await expectAccessible(desk);
});

test('the buttons of a filter are as high as its fields, and large enough for a finger', async ({
  signIn,
}) => {
  const desk = await signIn('acme');
  for (const [path, label] of [
    ['/admin/webhooks?status=processed', 'Filter events'],
    ['/admin/audit?action=x', 'Filter the log'],
  ] as const) {
    await desk.goto(path);
    const form = desk.getByRole('form', { name: label });
    await expect(form).toBeVisible();
    const controls = form.locator('select, input, button, a');
    for (const width of [390, 1280]) {
      await desk.setViewportSize({ width, height: 844 });
      const boxes = await controls.evaluateAll((all) =>
        all.map((one) => one.getBoundingClientRect().toJSON()),
      );
      expect(boxes.length).toBeGreaterThanOrEqual(4);
      expect(new Set(boxes.map(({ height }) => height)), `${path} at ${width}`).toEqual(new Set([44]));
      expect(Math.max(...boxes.map(({ right }) => right))).toBeLessThanOrEqual(width);
    }
  }
});

test('on a phone no list has to be pushed sideways, and each thing in it is named', async ({
  demo,
  signIn,
}) => {
  await payByApi(demo, { email: 'shopper@example.com' });
  const desk = await signIn('acme');
  await desk.setViewportSize({ width: 390, height: 844 });
  for (const [path, caption, heading] of [
    ['/admin/webhooks', 'Events of the provider, newest first', 'What came of it'],
    ['/admin/outbox', 'E-mails, newest first', 'Status'],
  ] as const) {
    const list = desk.getByRole('region', { name: caption });
    await expect(async () => {
      await desk.goto(path);
      await expect(list).toBeVisible({ timeout: 1_000 });
    }).toPass();
    await expect(list.getByText(heading, { exact: true }).last()).toBeVisible();
    const hidden = await list.evaluate((one) => one.scrollWidth - one.clientWidth);
    expect(hidden, path).toBeLessThanOrEqual(0);
    await expectAccessible(desk);
  }
});
