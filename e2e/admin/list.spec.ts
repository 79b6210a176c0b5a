import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright/test';
import { expectAccessible } from '../accessible.ts';
import { expect, followed, test } from '../fixtures.ts';
import { payByApi, payUnknown, silence } from './pay-by-api.ts';

const rowOf = (page: Page, reference: string) => page.getByRole('row').filter({ hasText: reference });
const references = (page: Page) => page.locator('[data-row-link]').allInnerTexts();

/** Waits until the page handles keys: a key that is pressed earlier is lost. */
async function open(page: Page, address: string) {
  await page.goto(address);
  await expect(page.getByRole('button', { name: 'Views' })).toBeEnabled();
}

test('filters are part of the URL: they can be shared, removed, and restored by going back', async ({
  demo,
  signIn,
}) => {
  const group = `F-${randomUUID().slice(0, 8).toUpperCase()}`;
  await payByApi(demo, { reference: `${group}-SMALL`, amountMinor: 500 });
  await payByApi(demo, { reference: `${group}-LARGE`, amountMinor: 70_000 });
  await payByApi(demo, { reference: `${group}-NO`, card: 'pm_card_visa_chargeDeclined' });
  const page = await signIn('acme');
  await open(page, `/admin/operations?reference=${group}`);
  await expect(page.locator('[data-row-link]')).toHaveCount(3);

  await page.getByText('Filters').click();
  await page.getByLabel('Currency').selectOption('eur');
  await page.getByLabel('At least', { exact: true }).fill('100');
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect(page).toHaveURL(/min=100\.00/);
  expect(await references(page)).toEqual([`${group}-LARGE`]);
  await expectAccessible(page);

  await page.getByRole('link', { name: /At least €100.00/ }).click();
  await expect(page.locator('[data-row-link]')).toHaveCount(3);
  await page.goBack();
  await expect(page.locator('[data-row-link]')).toHaveCount(1);
  await page.goBack();
  await expect(page.locator('[data-row-link]')).toHaveCount(3);

  await open(page, `/admin/operations?reference=${group}&sort=amount`);
  expect(await references(page)).toEqual([`${group}-LARGE`, `${group}-NO`, `${group}-SMALL`]);
  await open(page, `/admin/operations?reference=${group}&outcome=declined`);
  expect(await references(page)).toEqual([`${group}-NO`]);

  await open(page, '/admin/operations?status=perhaps&min=lots&after=%00&sort=zodiac&shop=elsewhere');
  await expect(page.getByRole('heading', { name: 'Operations' })).toBeVisible();
  await expect(page.locator('[data-row-link]').first()).toBeVisible();
});

test('every identifier of an operation finds it, and not in another shop', async ({
  demo,
  signIn,
  charges,
}) => {
  const email = `${randomUUID()}@example.com`;
  const paid = await payByApi(demo, { email });
  const [charge] = await charges(paid.reference);
  const page = await signIn('acme');
  const { request: otherTenant } = await signIn('globex');
  const names = [
    paid.reference,
    paid.reference.toLowerCase(),
    paid.operationId,
    paid.paymentId ?? '',
    charge?.intent ?? '',
    charge?.id ?? '',
    paid.key,
    paid.key.slice(0, 8),
    email,
  ];
  await open(page, '/admin/operations');
  for (const name of names) {
    expect(name).not.toBe('');
    await page.keyboard.press('/');
    await expect(page.getByLabel('Search operations')).toBeFocused();
    await page.getByLabel('Search operations').fill(name);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(new RegExp(`q=${encodeURIComponent(name).replace('%40', '(%40|@)')}`));
    await expect(rowOf(page, paid.reference), name).toBeVisible();
    const theirs = await (await otherTenant.get(`/admin/operations?q=${encodeURIComponent(name)}`)).text();
    expect(theirs, name).toContain('>Nothing matches');
    expect(theirs, name).not.toContain('data-operation="');
  }
  // After a search for something else the page does not contain the whole key.
  await open(page, `/admin/operations?q=${paid.reference}`);
  const ours = await page.content();
  expect(ours).not.toContain(paid.key);
  // Neither is true of every document.
  expect(ours).not.toContain('>Nothing matches');
  expect(ours).toContain('data-operation="');
});

test('paging forward and back shows each row once', async ({ demo, signIn }) => {
  const group = `P-${randomUUID().slice(0, 8).toUpperCase()}`;
  const wanted = Array.from({ length: 52 }, (_, index) => `${group}-${String(index).padStart(2, '0')}`);
  // In batches, because the order does not matter.
  for (let at = 0; at < wanted.length; at += 13) {
    await Promise.all(wanted.slice(at, at + 13).map((reference) => payByApi(demo, { reference })));
  }
  const page = await signIn('acme');
  await open(page, `/admin/operations?reference=${group}`);
  const first = await references(page);
  expect(first).toHaveLength(50);
  await page.getByRole('link', { name: 'Next' }).click();
  await expect(page.locator('[data-row-link]')).toHaveCount(2);
  expect([...first, ...(await references(page))].toSorted()).toEqual(wanted);
  await page.getByRole('link', { name: 'Previous' }).click();
  await expect(page.locator('[data-row-link]')).toHaveCount(50);
  expect(await references(page)).toEqual(first);
});

test('a view is saved, opened, renamed and deleted, and only its owner has it', async ({ signIn }) => {
  const name = `View ${randomUUID().slice(0, 8)}`;
  const page = await signIn('acme');
  await open(page, '/admin/operations?status=completed&kind=refund.create');
  await page.getByRole('button', { name: 'Views' }).click();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Save this view…' }).click();
  await page.getByLabel('Name').fill(name);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);

  await open(page, '/admin/operations');
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('link', { name }).click();
  await expect(page).toHaveURL(/status=completed&kind=refund.create/);

  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('button', { name: 'Rename or delete…' }).click();
  await page.getByLabel(`Name of ${name}`).fill(`${name} B`);
  await page.getByLabel(`Name of ${name}`).press('Enter');
  await expect(page.getByRole('button', { name: `Delete ${name} B` })).toBeVisible();
  await page.getByRole('button', { name: `Delete ${name} B` }).click();
  await expect(page.getByRole('button', { name: `Delete ${name} B` })).toHaveCount(0);

  const otherTenant = await signIn('globex');
  await otherTenant.goto('/admin/operations');
  await otherTenant.getByRole('button', { name: 'Views' }).click();
  await expect(otherTenant.getByRole('link', { name: 'Misuse of keys' })).toBeVisible();
  await expect(otherTenant.getByRole('link', { name })).toHaveCount(0);
});

test('new operations are announced and badges change in place; the row with the focus stays where it is', async ({
  demo,
  signIn,
  stalledWorker: _,
}) => {
  const group = `L-${randomUUID().slice(0, 8).toUpperCase()}`;
  const [one, two] = [
    await payUnknown(demo, { reference: `${group}-1` }),
    await payUnknown(demo, { reference: `${group}-2` }),
  ];
  const page = await signIn('acme');
  await open(page, `/admin/operations?reference=${group}`);
  await expect(rowOf(page, two.reference)).toContainText('Unknown');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  const focused = rowOf(page, one.reference).locator('[data-row-link]');
  await expect(focused).toBeFocused();
  const before = await focused.boundingBox();

  const colleague = await signIn('acme');
  await colleague.goto(`/admin/operations?reference=${group}`);
  await rowOf(colleague, two.reference).getByRole('button', { name: 'Reconcile now' }).click();
  await expect(rowOf(page, two.reference)).toContainText('Paid');
  await payByApi(demo, { reference: `${group}-3` });
  await expect(page.getByText('1 new, 1 changed')).toBeVisible();
  await expect(rowOf(page, `${group}-3`)).toHaveCount(0);
  await expect(focused).toBeFocused();
  expect(await focused.boundingBox()).toEqual(before);

  await page.getByRole('button', { name: 'Show' }).click();
  await expect(page.locator('[data-row-link]')).toHaveText([`${group}-3`, two.reference, one.reference]);
});

test('by keyboard alone: j selects the unknown, r reconciles it, the row stays with the result', async ({
  demo,
  signIn,
  charges,
  stalledWorker: _,
}) => {
  const unknown = await payUnknown(demo);
  const page = await signIn('acme');
  await open(page, `/admin/operations?reference=${unknown.reference}`);
  await page.keyboard.press('j');
  await expect(rowOf(page, unknown.reference).locator('[data-row-link]')).toBeFocused();
  await page.keyboard.press('r');
  await expect(rowOf(page, unknown.reference)).toContainText('The charge was found');
  await expect(rowOf(page, unknown.reference)).toContainText('Paid');
  expect(await charges(unknown.reference)).toHaveLength(1);
  await page.keyboard.press('x');
  await expect(page.getByText('1 selected')).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(unknown.operationId));

  // In a text field no key is a shortcut.
  await open(page, '/admin/operations');
  await page.getByLabel('Search operations').pressSequentially('gq?jxr/');
  await expect(page.getByLabel('Search operations')).toHaveValue('gq?jxr/');
  await expect(page).toHaveURL(/operations$/);
  await page.getByLabel('Search operations').blur();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.keyboard.press('g');
  await page.keyboard.press('q');
  await expect(page).toHaveURL(/\/admin\/queue$/);
});

test('the palette opens pages, views, and an operation by its reference', async ({ demo, signIn }) => {
  const paid = await payByApi(demo);
  const page = await signIn('acme');
  await page.goto('/admin');
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
  await expect(async () => {
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('combobox')).toBeFocused({ timeout: 1_000 });
  }).toPass();
  await expectAccessible(page);
  await page.keyboard.type(paid.reference);
  await expect(page.getByRole('option', { name: `${paid.reference} · €12.50` })).toHaveAttribute(
    'aria-selected',
    'true',
  );
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(paid.operationId));

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('longest');
  await expect(page.getByRole('option', { name: /Unknown, longest first/ })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/sort=unknown/);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('outbox');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/admin\/outbox$/);
});

test('reconciling many: each gets its own result, and a failure does not stop the others', async ({
  demo,
  signIn,
  charges,
  stalledWorker: _,
}) => {
  const group = `B-${randomUUID().slice(0, 8).toUpperCase()}`;
  const [completed, taken, silent, lost] = await Promise.all([
    payUnknown(demo, { reference: `${group}-COMPLETED` }),
    payUnknown(demo, { reference: `${group}-TAKEN` }),
    payUnknown(demo, { reference: `${group}-SILENT` }),
    payUnknown(demo, { reference: `${group}-LOST` }),
  ]);
  const page = await signIn('acme');
  // Without the stream this page is not updated when a colleague acts.
  await page.route('**/api/trpc/operations.changes**', (route) => route.abort());
  await page.route('**/api/trpc/operations.compare**', (route) => route.abort());
  // The request for one of them fails; each operation has a request of its own.
  await page.route('**/api/trpc/operations.reconcileOneOfMany**', (route) =>
    route.request().postData()?.includes(lost.operationId) ? route.abort() : route.continue(),
  );
  await open(page, `/admin/operations?reference=${group}&status=unknown`);
  await expect(page.locator('[data-row-link]')).toHaveCount(4);

  const colleague = await signIn('acme');
  await colleague.goto(`/admin/operations?reference=${group}`);
  await rowOf(colleague, taken.reference).getByRole('button', { name: 'Reconcile now' }).click();
  await expect(rowOf(colleague, taken.reference)).toContainText('The charge was found');
  await silence(demo, silent.reference, 60);

  await page.getByRole('button', { name: 'Select the 4 unknown on this page' }).click();
  await page.getByRole('button', { name: 'Reconcile all 4' }).click();
  await expect(rowOf(page, completed.reference)).toContainText('The charge was found');
  await expect(rowOf(page, taken.reference)).toContainText('no longer unknown');
  await expect(rowOf(page, silent.reference)).toContainText('Still unknown');
  await expect(rowOf(page, lost.reference)).toContainText('No result');
  await expect(page.getByText('1 resolved, 1 still unknown, 1 skipped, 1 failed')).toBeVisible();
  await expectAccessible(page);
  await silence(demo, silent.reference, 0);
  for (const { reference } of [completed, taken, silent, lost])
    expect(await charges(reference)).toHaveLength(1);

  await page.goto('/admin/audit');
  for (const { operationId } of [completed, silent]) {
    await expect(page.locator(`main a[href="/admin/operations/${operationId}"]`)).toHaveCount(1);
  }
});

test('a member of two shops lists one, the other, or both; opening a row switches to its shop', async ({
  demo,
  openPage,
}) => {
  const group = `M-${randomUUID().slice(0, 8).toUpperCase()}`;
  await payByApi(demo, { reference: `${group}-ACME` });
  await payByApi(demo, { reference: `${group}-GLOBEX`, shop: 'globex' });
  const owner = demo.tenants[0]?.people.at(-1);
  if (!owner) throw new Error('The demo has no owner of both shops.');
  const page = await openPage();
  await page.goto(`/admin/sign-in?next=${encodeURIComponent(`/admin/operations?reference=${group}`)}`);
  await page.getByLabel('E-mail').fill(owner.email);
  await page.getByLabel('Password').fill(owner.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('navigation', { name: 'Console' })).toBeVisible();
  await open(page, `/admin/operations?reference=${group}`);
  await expect(page.locator('[data-row-link]')).toHaveText([`${group}-ACME`]);

  const chooseShop = async (shop: string) => {
    await page.getByText('Filters').click();
    await page.locator('form').getByLabel('Shop').selectOption({ label: shop });
    await page.getByRole('button', { name: 'Apply' }).click();
  };
  await chooseShop('Globex Stationery');
  await expect(page.locator('[data-row-link]')).toHaveText([`${group}-GLOBEX`]);
  await chooseShop('All my shops');
  await expect(page.locator('[data-row-link]')).toHaveText([`${group}-GLOBEX`, `${group}-ACME`]);
  await expect(rowOf(page, `${group}-GLOBEX`)).toContainText('Globex Stationery');
  await rowOf(page, `${group}-GLOBEX`).locator('[data-row-link]').click();
  await expect(page.getByRole('heading', { level: 1, name: `${group}-GLOBEX` })).toBeVisible();
  await expect(page.getByLabel('Shop').first().locator('option:checked')).toHaveText('Globex Stationery');
  // In a new document: what the list of the first shop goes on asking for would lead back to it.
  expect(await page.evaluate(() => performance.getEntriesByType('navigation')[0]?.name)).toBe(page.url());
});

test('the export has the rows of the filter, with amounts, without keys and formulas, and none for another tenant', async ({
  demo,
  signIn,
  page,
}) => {
  const group = `=E${randomUUID().slice(0, 8).toUpperCase()}`;
  const paid = await payByApi(demo, { reference: `${group}-1`, amountMinor: 1_999 });
  await payByApi(demo, { reference: `${group}-2`, card: 'pm_card_visa_chargeDeclined' });
  const operatorPage = await signIn('acme');
  await open(operatorPage, `/admin/operations?reference=${encodeURIComponent(group)}`);
  const [file] = await Promise.all([
    operatorPage.waitForEvent('download'),
    operatorPage.getByRole('link', { name: 'Export' }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^operations-\d{4}-\d\d-\d\d\.csv$/);
  const [heading, ...rows] = readFileSync(await file.path(), 'utf8')
    .trimEnd()
    .split('\r\n');
  expect(heading).toContain('operation_id,kind,status,reference,amount,currency');
  expect(rows).toHaveLength(2);
  expect(rows[1]).toContain(`payment.create,completed,'${group}-1,19.99,EUR,succeeded`);
  expect(rows[0]).toContain(',declined,');
  expect(rows.join()).not.toContain(paid.key);

  const otherTenant = await signIn('globex');
  const theirs = await otherTenant.request.get(
    `/admin/operations/export?reference=${encodeURIComponent(group)}&shop=acme`,
    { headers: followed },
  );
  expect((await theirs.text()).trim().split('\r\n')).toHaveLength(1);
  const signedOut = await page.request.get(`${demo.urls.app}/admin/operations/export`, { headers: followed });
  expect(signedOut.status()).toBe(401);
});
