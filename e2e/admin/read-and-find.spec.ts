import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright/test';
import { expectAccessible } from '../accessible.ts';
import { expectWholeFocusRings } from '../focus-rings.ts';
import { payByApi, payUnknown, refundByApi, silence } from './pay-by-api.ts';
import { expect, openOperation, test } from './sign-in-as.ts';

const rowOf = (page: Page, reference: string) => page.getByRole('row').filter({ hasText: reference });
const phone = { width: 390, height: 844 };

test('the badge of an operation is its outcome, not that it is completed', async ({
  demo,
  signInAs,
  stalledWorker: _,
}) => {
  const paid = await payByApi(demo);
  const declined = await payByApi(demo, { card: 'pm_card_visa_chargeDeclined' });
  await refundByApi(demo, paid.paymentId);
  const unknown = await payUnknown(demo, { card: 'pm_fault_not_charged_500' });
  const page = await signInAs('operator');
  await page.goto('/admin/operations');
  await expect(rowOf(page, declined.reference)).toContainText('Declined');
  const [refund, payment] = [rowOf(page, paid.reference).first(), rowOf(page, paid.reference).last()];
  await expect(refund).toContainText('Refunded');
  await expect(payment).toContainText('Paid');
  await rowOf(page, unknown.reference).getByRole('button', { name: 'Reconcile now' }).click();
  await expect(rowOf(page, unknown.reference)).toContainText('Not charged');
  // Exactly: a reference of another test has the word in it.
  await expect(page.locator('[data-operation]').getByText('Completed', { exact: true })).toHaveCount(0);
});

test('while the provider is silent its id of the payment is shown, can be copied, and leads to the provider', async ({
  demo,
  signInAs,
  stalledWorker: _,
}) => {
  const { reference } = await payUnknown(demo);
  const page = await signInAs('operator');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await silence(demo, reference, 60);
  await openOperation(page, reference);
  await expect(page.getByText('The provider did not answer.')).toBeVisible();
  const request = page.getByRole('region', { name: 'Request' });
  const intent = await request.getByText(/^pi_\w+$/).textContent();
  await request.getByRole('button', { name: 'Copy the provider’s id' }).click();
  await expect(request.getByRole('button', { name: 'Copied' })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(intent);
  await expect(request.getByRole('link', { name: 'Open at the provider' })).toHaveAttribute(
    'href',
    `${demo.urls.sandbox}/_sandbox/charges?reference=${reference}`,
  );
  await expectAccessible(page);
});

test('an amount without a currency is taken in the shop’s, and a range of days has whole days', async ({
  demo,
  signInAs,
}) => {
  const small = await payByApi(demo, { amountMinor: 707 });
  const large = await payByApi(demo, { amountMinor: 70_700 });
  const page = await signInAs('operator');
  for (const [list, field] of [
    ['operations', 'At least'],
    ['payments', 'Amount from'],
  ] as const) {
    await page.goto(`/admin/${list}`);
    if (list === 'operations') await page.getByText('Filters').first().click();
    await page.getByLabel(field).fill('700');
    await page.getByLabel(field).press('Enter');
    await expect(rowOf(page, small.reference)).toHaveCount(0);
    await expect(rowOf(page, large.reference)).toBeVisible();
    await expect(page.getByLabel('Currency')).toHaveValue('eur');

    const today = await page.evaluate(() => new Intl.DateTimeFormat('sv-SE').format(Date.now()));
    await page.goto(`/admin/${list}?from=${today}&to=${today}`);
    await expect(rowOf(page, small.reference)).toBeVisible();
    await page.goto(`/admin/${list}?from=2020-01-01&to=2020-01-02`);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(rowOf(page, small.reference)).toHaveCount(0);
  }
});

test('webhooks, outbox and audit log name the order by its number', async ({
  shopper,
  signInAs,
  stalledWorker,
}) => {
  const reference = await shopper.orderSomething({ card: 'pm_fault_charged_no_response' });
  await shopper.payButton.click();
  await expect(shopper.form).toHaveAttribute('data-state', 'checking');
  const page = await signInAs('operator');
  await page.goto(`/admin/operations?reference=${reference}`);
  await page.getByRole('button', { name: 'Reconcile now' }).click();
  await expect(rowOf(page, reference)).toContainText('Paid');
  stalledWorker.resume();
  for (const section of ['audit', 'webhooks', 'outbox']) {
    await expect(async () => {
      await page.goto(`/admin/${section}`);
      const link = rowOf(page, reference).getByRole('link', { name: reference, exact: true }).first();
      await expect(link, section).toHaveAttribute('href', /\/admin\/operations\//, { timeout: 1_000 });
    }).toPass();
  }
});

test('on a phone a long reference leaves amount and age on the screen, and the two records are cards, differences first', async ({
  demo,
  signInAs,
  stalledWorker: _,
}) => {
  const reference = `SUBSCRIPTION-2026-11-RENEWAL-${randomUUID().toUpperCase()}`;
  await payUnknown(demo, { reference });
  const page = await signInAs('operator');
  await page.setViewportSize(phone);
  for (const list of ['operations', 'payments']) {
    await page.goto(`/admin/${list}?q=${reference}`);
    const row = rowOf(page, reference.slice(0, 30));
    for (const shown of [row.getByText('€12.50'), row.locator('time')]) {
      const box = await shown.first().boundingBox();
      expect((box?.x ?? 1_000) + (box?.width ?? 0), list).toBeLessThanOrEqual(phone.width);
      expect(box?.x, list).toBeGreaterThan(0);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth), list).toBe(phone.width);
  }

  // The provider's first event is stored when it arrives, also while the worker is suspended.
  await expect(async () => {
    await page.goto('/admin/webhooks');
    const link = rowOf(page, reference.slice(0, 30)).getByRole('link', { name: reference }).first();
    const box = await link.boundingBox({ timeout: 1_000 });
    expect((box?.x ?? 1_000) + (box?.width ?? 0)).toBeLessThanOrEqual(phone.width);
  }).toPass();

  await openOperation(page, reference);
  const table = page.getByRole('table', { name: 'Our record beside the provider’s' });
  const differing = await table
    .locator('tbody tr')
    .evaluateAll((rows) => rows.map((row) => row.textContent?.includes('Differs')));
  const same = differing.indexOf(false);
  expect(differing[0]).toBe(true);
  expect(differing.slice(same)).not.toContain(true);
  // Ours above theirs, each with its name.
  const [ours, theirs] = await Promise.all(
    ['Ours', 'Theirs'].map((name) => table.getByText(name, { exact: true }).first().boundingBox()),
  );
  expect(ours?.x).toBe(theirs?.x);
  expect((ours?.y ?? 0) + (ours?.height ?? 0)).toBeLessThanOrEqual(theirs?.y ?? 0);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.width);
});

test('the charts begin with the range that has data, and no other section of the navigation moves when one is opened', async ({
  demo,
  signInAs,
}) => {
  await payByApi(demo);
  const page = await signInAs('viewer');
  await expect(async () => {
    await page.goto('/admin');
    const chart = page.getByRole('figure', { name: 'Operations started' });
    await expect(chart.getByRole('link', { name: /^[1-9][\d,]* payments?$/ })).toBeVisible({
      timeout: 1_000,
    });
  }).toPass();
  await expect(page.getByRole('link', { name: '1 hour' })).toHaveAttribute('aria-current', 'true');

  const positions = () =>
    page
      .getByRole('navigation', { name: 'Console' })
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => link.getBoundingClientRect().width));
  const before = await positions();
  await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Members' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Members' })).toBeVisible();
  expect(await positions()).toEqual(before);
});

test('the roles of all members are below each other', async ({ signInAs }) => {
  const page = await signInAs('owner');
  await page.goto('/admin/members');
  const roles = page.getByRole('list', { name: 'Members' }).getByRole('combobox');
  await expect(roles.nth(2)).toBeVisible();
  const lefts = await roles.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().left));
  expect(new Set(lefts).size).toBe(1);
});

test('on a phone the list of payments comes before its other filters, which are shown when asked for', async ({
  demo,
  signInAs,
}) => {
  const { reference } = await payByApi(demo, { amountMinor: 808 });
  const page = await signInAs('viewer');
  await page.setViewportSize(phone);
  await page.goto('/admin/payments');
  await expect(page.getByRole('link', { name: reference })).toBeInViewport();
  await expect(page.getByLabel('Amount from')).toBeHidden();
  await page.getByText('More filters').click();
  await expectAccessible(page);
  await page.getByLabel('Amount from').fill('8.08');
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.waitForURL(/min=8\.08/);
  // By role, because streamed content stands in the document twice for a moment, once of it hidden.
  await expect(page.getByRole('checkbox', { name: 'More filters (2)' })).not.toBeChecked();
  await expect(page.getByRole('link', { name: reference })).toBeInViewport();
});

test('a focus ring crosses no letters and is not cut off, in the lists and on the pages of the console', async ({
  demo,
  signInAs,
  stalledWorker: _,
}) => {
  const unknown = await payUnknown(demo);
  const { paymentId } = await payByApi(demo);
  const page = await signInAs('operator');
  const paths = [
    '',
    '/operations',
    `/operations/${unknown.operationId}`,
    '/payments',
    `/payments/${paymentId}`,
  ];
  for (const path of [...paths, '/queue', '/webhooks', '/outbox', '/audit']) {
    await page.goto(`/admin${path}`);
    for (const size of [phone, { width: 1280, height: 900 }]) {
      await page.setViewportSize(size);
      await expectWholeFocusRings(page);
    }
  }
});
