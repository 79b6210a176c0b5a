import type { Page } from 'playwright/test';
import { Webhook } from 'standardwebhooks';
import { openWebhookReceiver, type WebhookReceiver } from '#payments/outbox/testing/webhook-receiver.ts';
import { expectAccessible, expectAccessibleEverywhere } from '../accessible.ts';
import { inDatabase } from './database.ts';
import { payByApi } from './pay-by-api.ts';
import { test as base, expect } from './sign-in-as.ts';

const test = base.extend<{ merchant: WebhookReceiver }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures a fixture needs from this pattern
  merchant: async ({}, use) => {
    const merchant = await openWebhookReceiver();
    await use(merchant);
    await merchant.close();
  },
});

const endpointAt = (page: Page, url: string) => page.getByRole('listitem', { name: url });

/** The secret that the page shows once. */
async function secretIn(page: Page, title: string | RegExp): Promise<string> {
  const shown = page.getByRole('region', { name: title });
  await expect(shown).toBeFocused();
  return (await shown.locator('code').textContent()) ?? '';
}

async function add(page: Page, url: string, description = ''): Promise<string> {
  const form = page.getByRole('form', { name: 'New endpoint' });
  await form.getByLabel('Address').fill(url);
  await form.getByLabel('Description (optional)').fill(description);
  await form.getByLabel('Address').press('Enter');
  const secret = await secretIn(page, `The signing secret of ${url}`);
  await expect(endpointAt(page, url)).toBeVisible();
  return secret;
}

async function sendTest(page: Page, url: string) {
  const endpoint = endpointAt(page, url);
  await endpoint.getByRole('button', { name: 'Send a test' }).click();
  return endpoint.getByRole('status');
}

async function remove(page: Page, url: string): Promise<void> {
  const endpoint = endpointAt(page, url);
  await endpoint.getByRole('button', { name: `Remove ${url}` }).click();
  await endpoint.getByRole('button', { name: 'Yes, remove' }).click();
  await expect(endpoint).toHaveCount(0);
}

test('an owner adds an endpoint, which gets a payment and a test that verify; then rotates its secret and removes it', async ({
  signInAs,
  merchant,
  demo,
  app,
}) => {
  test.slow();
  const { url } = merchant;
  const page = await signInAs('owner');
  await page.goto('/admin/settings');
  await page.getByRole('link', { name: 'Webhook endpoints' }).click();
  await expect(page.getByText('No endpoints yet')).toBeVisible();
  await expectAccessibleEverywhere(page);

  const form = page.getByRole('form', { name: 'New endpoint' });
  await form.getByLabel('Address').fill('https://10.0.0.1/hooks');
  await form.getByRole('button', { name: 'Add endpoint' }).click();
  await expect(form.getByRole('alert')).toContainText('must be a public one');

  const secret = await add(page, url, 'Accounting');
  await expect(form.getByLabel('Address')).toHaveValue('');
  await expectAccessible(page);
  /** The newest message of a type, verified as the merchant does it. */
  const verified = (key: string, type: string) => {
    const newest = merchant.received.findLast(({ body }) => JSON.parse(body).type === type);
    return new Webhook(key).verify(newest?.body ?? '', newest?.headers as Record<string, string>);
  };

  const { reference } = await payByApi(demo);
  await expect.poll(() => merchant.received.some(({ body }) => body.includes(reference))).toBe(true);
  expect(verified(secret, 'payment.succeeded')).toMatchObject({ data: { reference } });
  const endpoint = endpointAt(page, url);
  await expect(endpoint.getByText('A payment succeeded')).toBeVisible();

  await expect(await sendTest(page, url)).toContainText(/The test arrived: 200 in \d+ ms/);
  expect(verified(secret, 'webhook.test')).toBeTruthy();
  merchant.response = () => 500;
  await expect(await sendTest(page, url)).toContainText(/The test failed: 500 in \d+ ms/);
  await expect(endpoint.getByText('Failing', { exact: true })).toBeVisible();
  await expectAccessibleEverywhere(page);

  // Half an hour later the person proves who they are before they get a secret.
  const owner = demo.tenants.find(({ slug }) => slug === 'acme')?.people.find(({ role }) => role === 'owner');
  await inDatabase(app, (client) =>
    client.query(
      `UPDATE session SET confirmed_at = confirmed_at - interval '31 minutes'
       FROM "user" WHERE "user".id = session.user_id AND "user".email = $1`,
      [owner?.email],
    ),
  );
  await endpoint.getByRole('button', { name: `Rotate secret of ${url}` }).click();
  await endpoint.getByRole('button', { name: 'Yes, rotate' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Confirm that it is you' });
  await dialog.getByLabel('Your password').fill(owner?.password ?? '');
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  const rotated = await secretIn(page, 'The new signing secret');
  expect(rotated).not.toBe(secret);
  await expect(endpoint.getByText('the old secret also signs until')).toBeVisible();
  merchant.response = () => 200;
  await expect(await sendTest(page, url)).toContainText('The test arrived');
  expect(verified(rotated, 'webhook.test')).toBeTruthy();
  expect(verified(secret, 'webhook.test')).toBeTruthy();
  await expectAccessible(page);

  await remove(page, url);
  await expect(page.getByText('No endpoints yet')).toBeVisible();
  await page.goto('/admin/audit?action=webhook_endpoint');
  for (const text of ['Rotated the secret of a webhook endpoint', 'Removed a webhook endpoint']) {
    await expect(page.getByRole('row').filter({ hasText: text }).first()).toBeVisible();
  }
});

test('an owner chooses events, and disables and enables an endpoint; a viewer sees it and can change nothing', async ({
  signInAs,
  merchant,
}) => {
  const { url } = merchant;
  const page = await signInAs('owner');
  await page.goto('/admin/settings/endpoints');
  await add(page, url);
  const endpoint = endpointAt(page, url);
  await expect(endpoint.getByText('All events')).toBeVisible();

  await endpoint.getByRole('button', { name: `Edit ${url}` }).click();
  const form = page.getByRole('form', { name: `Edit ${url}` });
  await expect(form.getByLabel('Address')).toBeFocused();
  await form.getByLabel('All events').uncheck();
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form.getByRole('alert')).toContainText('Choose at least one event.');
  await form.getByLabel('A refund succeeded').check();
  await form.getByLabel('A bank returned a refund').check();
  await expectAccessibleEverywhere(page);
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form).toHaveCount(0);
  await expect(endpoint.getByText('A refund succeeded · A bank returned a refund')).toBeVisible();
  await expect(endpoint.getByRole('heading', { name: url })).toBeFocused();

  await endpoint.getByRole('button', { name: `Disable ${url}` }).click();
  await expect(endpoint.getByRole('group', { name: /It gets no messages until/ })).toBeFocused();
  await page.keyboard.press('Escape');
  await endpoint.getByRole('button', { name: `Disable ${url}` }).click();
  await endpoint.getByRole('button', { name: 'Yes, disable' }).click();
  await expect(endpoint.getByText('Disabled', { exact: true })).toBeVisible();
  await expect(endpoint.getByRole('button', { name: 'Send a test' })).toHaveCount(0);
  await endpoint.getByRole('button', { name: `Enable ${url}` }).click();
  await expect(endpoint.getByText('Enabled', { exact: true })).toBeVisible();

  const viewer = await signInAs('viewer');
  await viewer.goto('/admin/settings/endpoints');
  await expect(endpointAt(viewer, url)).toBeVisible();
  await expect(viewer.getByText('Owners can change the endpoints.')).toBeVisible();
  await expect(viewer.getByRole('main').getByRole('button')).toHaveCount(0);
  await expect(viewer.getByRole('form')).toHaveCount(0);
  await remove(page, url);
});
