import { expectAccessible } from '../accessible.ts';
import { expect, test } from '../fixtures.ts';
import { inDatabase } from './database.ts';
import { payByApi } from './pay-by-api.ts';

const sections = [
  ['Overview', '/admin', 'Overview'],
  ['Operations', '/admin/operations', 'Operations'],
  ['Payments', '/admin/payments', 'Payments'],
  ['Queue', '/admin/queue', 'Operators’ queue'],
  ['Unexpected payments', '/admin/exceptions', 'Unexpected payments'],
  ['Webhooks', '/admin/webhooks', 'Webhooks'],
  ['Outbox', '/admin/outbox', 'Outbox'],
  ['Approvals', '/admin/proposals', 'Approvals'],
  ['Audit', '/admin/audit', 'Audit log'],
  ['Members', '/admin/members', 'Members'],
  ['API keys', '/admin/api-keys', 'API keys'],
  ['Settings', '/admin/settings', 'Settings'],
] as const;

test('every section of the console opens from its navigation and has no accessibility violations', async ({
  signIn,
  shopper,
}) => {
  // Twelve pages, and axe tries each.
  test.slow();
  await shopper.orderSomething();
  await shopper.payButton.click();
  await shopper.expectReceipt();
  const page = await signIn('acme');
  await page.goto('/admin');
  for (const [name, path, heading] of sections) {
    await page
      .getByRole('navigation', { name: 'Console' })
      .getByRole('link', { name: new RegExp(`^${name}`) })
      .click();
    await expect(page).toHaveURL(new RegExp(`${path}$`));
    await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible();
    await expectAccessible(page);
  }
});

test('the webhook inbox shows the outcome of each event, and reprocessing charges nothing', async ({
  signIn,
  shopper,
  charges,
}) => {
  const reference = await shopper.orderSomething();
  await shopper.payButton.click();
  await shopper.expectReceipt();
  const page = await signIn('acme');
  const row = page.getByRole('row').filter({ hasText: 'payment_intent.succeeded' }).first();
  await expect(async () => {
    await page.goto('/admin/webhooks');
    await expect(row).toContainText('Already resolved', { timeout: 1_000 });
  }).toPass();
  await row.getByRole('button', { name: 'Process again' }).click();
  await expect(row.getByText('Processing…')).toBeVisible();
  expect(await charges(reference)).toHaveLength(1);
});

test('a page that loads slowly shows its skeleton, and one that cannot be read offers to load again', async ({
  signIn,
  app,
}) => {
  const page = await signIn('acme');
  await page.goto('/admin');
  const navigation = page.getByRole('navigation', { name: 'Console' });
  // A link prefetches the skeleton of its page; after a visit the skeleton is certainly loaded.
  for (const name of ['Operations', 'Unexpected payments', 'Overview']) {
    await navigation.getByRole('link', { name }).click();
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
  }
  await inDatabase(app, async (client) => {
    // Readers of these tables wait for the lock.
    await client.query('BEGIN; LOCK TABLE saved_view, reconciliation_exception IN ACCESS EXCLUSIVE MODE');
    await navigation.getByRole('link', { name: 'Operations' }).click();
    await expect(page.getByRole('status', { name: 'Loading operations' })).toBeVisible();
    await navigation.getByRole('link', { name: 'Unexpected payments' }).click();
    await expect(page.getByRole('status', { name: 'Loading', exact: true })).toBeVisible();
    await client.query('COMMIT');
    await expect(page.getByRole('heading', { level: 1, name: 'Unexpected payments' })).toBeVisible();

    await client.query('ALTER TABLE reconciliation_exception RENAME TO exception_away');
    try {
      await page.reload();
      await expect(page.getByRole('heading', { name: 'Something went wrong' })).toBeVisible();
      await expect(navigation).toBeVisible();
      await expectAccessible(page);
    } finally {
      await client.query('ALTER TABLE exception_away RENAME TO reconciliation_exception');
    }
    await page.getByRole('button', { name: 'Load it again' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Unexpected payments' })).toBeVisible();
  });
});

test('the page for a missing role says so', async ({ signIn }) => {
  const page = await signIn('acme');
  await page.goto('/admin/not-allowed');
  await expect(page.getByRole('heading', { name: 'Your role has no access to this page' })).toBeVisible();
  await expectAccessible(page);
});

test('the buttons of a filter are as high as its fields, and large enough for a finger', async ({
  signIn,
}) => {
  const page = await signIn('acme');
  for (const [path, label] of [
    ['/admin/webhooks?status=processed', 'Filter events'],
    ['/admin/audit?action=x', 'Filter the log'],
  ] as const) {
    await page.goto(path);
    const form = page.getByRole('form', { name: label });
    await expect(form).toBeVisible();
    const controls = form.locator('select, input, button, a');
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      const boxes = await controls.evaluateAll((all) =>
        all.map((one) => one.getBoundingClientRect().toJSON()),
      );
      expect(boxes.length).toBeGreaterThanOrEqual(4);
      expect(new Set(boxes.map(({ height }) => height)), `${path} at ${width}`).toEqual(new Set([44]));
      expect(Math.max(...boxes.map(({ right }) => right))).toBeLessThanOrEqual(width);
    }
  }
});

test('on a phone no list scrolls sideways, and each value in it has its label', async ({ demo, signIn }) => {
  await payByApi(demo, { email: 'shopper@example.com' });
  const page = await signIn('acme');
  await page.setViewportSize({ width: 390, height: 844 });
  for (const [path, caption, heading] of [
    ['/admin/webhooks', 'Events of the provider, newest first', 'Result'],
    ['/admin/outbox', 'E-mails, newest first', 'Status'],
  ] as const) {
    const list = page.getByRole('region', { name: caption });
    await expect(async () => {
      await page.goto(path);
      await expect(list).toBeVisible({ timeout: 1_000 });
    }).toPass();
    await expect(list.getByText(heading, { exact: true }).last()).toBeVisible();
    const hidden = await list.evaluate((one) => one.scrollWidth - one.clientWidth);
    expect(hidden, path).toBeLessThanOrEqual(0);
    await expectAccessible(page);
  }
});
