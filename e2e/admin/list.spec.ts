import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright/test';
import { expectAccessible } from '../accessible.ts';
import { expect, test } from '../fixtures.ts';
import { payByApi, payUnknown, silence } from './pay-by-api.ts';

const rowOf = (desk: Page, reference: string) => desk.getByRole('row').filter({ hasText: reference });
const references = (desk: Page) => desk.locator('[data-row-link]').allInnerTexts();

/** A page whose keys are listened to: until then a key is lost, as it is for a person. */
async function open(desk: Page, address: string) {
  await desk.goto(address);
  await expect(desk.getByRole('button', { name: 'Views' })).toBeEnabled();
}

test('filters live in the address: they can be shared, taken away, and gone back from', async ({
  demo,
  signIn,
}) => {
  const group = `F-${randomUUID().slice(0, 8).toUpperCase()}`;
  await payByApi(demo, { reference: `${group}-SMALL`, amountMinor: 500 });
  await payByApi(demo, { reference: `${group}-LARGE`, amountMinor: 70_000 });
  await payByApi(demo, { reference: `${group}-NO`, card: 'pm_card_visa_chargeDeclined' });
  const desk = await signIn('acme');
  await open(desk, `/admin/operations?reference=${group}`);
  await expect(desk.locator('[data-row-link]')).toHaveCount(3);

  await desk.getByText('Filters').click();
  await desk.getByLabel('Currency').selectOption('eur');
  await desk.getByLabel('At least', { exact: true }).fill('100');
  await desk.getByRole('button', { name: 'Apply' }).click();
  await expect(desk).toHaveURL(/min=100\.00/);
  expect(await references(desk)).toEqual([`${group}-LARGE`]);
  await expectAccessible(desk);

  await desk.getByRole('link', { name: /At least €100.00/ }).click();
  await expect(desk.locator('[data-row-link]')).toHaveCount(3);
  await desk.goBack();
  await expect(desk.locator('[data-row-link]')).toHaveCount(1);
  await desk.goBack();
  await expect(desk.locator('[data-row-link]')).toHaveCount(3);

  await open(desk, `/admin/operations?reference=${group}&sort=amount`);
  expect(await references(desk)).toEqual([`${group}-LARGE`, `${group}-NO`, `${group}-SMALL`]);
  await open(desk, `/admin/operations?reference=${group}&outcome=declined`);
  expect(await references(desk)).toEqual([`${group}-NO`]);

  await open(desk, '/admin/operations?status=perhaps&min=lots&after=%00&sort=zodiac&shop=elsewhere');
  await expect(desk.getByRole('heading', { name: 'Operations' })).toBeVisible();
  await expect(desk.locator('[data-row-link]').first()).toBeVisible();
});

test('whatever name somebody reads out finds the operation, and not in another shop', async ({
  demo,
  signIn,
  charges,
}) => {
  const email = `${randomUUID()}@example.com`;
  const paid = await payByApi(demo, { email });
  const [charge] = await charges(paid.reference);
  const desk = await signIn('acme');
  const stranger = await signIn('globex');
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
  await open(desk, '/admin/operations');
  for (const name of names) {
    expect(name).not.toBe('');
    await desk.keyboard.press('/');
    await expect(desk.getByLabel('Search operations')).toBeFocused();
    await desk.getByLabel('Search operations').fill(name);
    await desk.keyboard.press('Enter');
    await expect(desk).toHaveURL(new RegExp(`q=${encodeURIComponent(name).replace('%40', '(%40|@)')}`));
    await expect(rowOf(desk, paid.reference), name).toBeVisible();
    await stranger.goto(`/admin/operations?q=${encodeURIComponent(name)}`);
    await expect(stranger.getByText('Nothing matches'), name).toBeVisible();
  }
  // The whole key is nowhere on the page but in the field it was typed into.
  await open(desk, `/admin/operations?q=${paid.reference}`);
  expect(await desk.content()).not.toContain(paid.key);
});

test('pages lead forth and back and show each row once', async ({ demo, signIn }) => {
  const group = `P-${randomUUID().slice(0, 8).toUpperCase()}`;
  const wanted = Array.from({ length: 52 }, (_, index) => `${group}-${String(index).padStart(2, '0')}`);
  // One after the other where order matters; in tens where it does not.
  for (let at = 0; at < wanted.length; at += 13) {
    await Promise.all(wanted.slice(at, at + 13).map((reference) => payByApi(demo, { reference })));
  }
  const desk = await signIn('acme');
  await open(desk, `/admin/operations?reference=${group}`);
  const first = await references(desk);
  expect(first).toHaveLength(50);
  await desk.getByRole('link', { name: 'Next' }).click();
  await expect(desk.locator('[data-row-link]')).toHaveCount(2);
  expect([...first, ...(await references(desk))].toSorted()).toEqual(wanted);
  await desk.getByRole('link', { name: 'Previous' }).click();
  await expect(desk.locator('[data-row-link]')).toHaveCount(50);
  expect(await references(desk)).toEqual(first);
});

test('a view is saved, opened, renamed and deleted, and is nobody else’s', async ({ signIn }) => {
  const name = `View ${randomUUID().slice(0, 8)}`;
  const desk = await signIn('acme');
  await open(desk, '/admin/operations?status=completed&kind=refund.create');
  await desk.getByRole('button', { name: 'Views' }).click();
  await expectAccessible(desk);
  await desk.getByRole('button', { name: 'Save this view…' }).click();
  await desk.getByLabel('Name').fill(name);
  await expectAccessible(desk);
  await desk.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(desk.getByRole('dialog')).toHaveCount(0);

  await open(desk, '/admin/operations');
  await desk.getByRole('button', { name: 'Views' }).click();
  await desk.getByRole('link', { name }).click();
  await expect(desk).toHaveURL(/status=completed&kind=refund.create/);

  await desk.getByRole('button', { name: 'Views' }).click();
  await desk.getByRole('button', { name: 'Rename or delete…' }).click();
  await desk.getByLabel(`Name of ${name}`).fill(`${name} B`);
  await desk.getByLabel(`Name of ${name}`).press('Enter');
  await expect(desk.getByRole('button', { name: `Delete ${name} B` })).toBeVisible();
  await desk.getByRole('button', { name: `Delete ${name} B` }).click();
  await expect(desk.getByRole('button', { name: `Delete ${name} B` })).toHaveCount(0);

  const stranger = await signIn('globex');
  await stranger.goto('/admin/operations');
  await stranger.getByRole('button', { name: 'Views' }).click();
  await expect(stranger.getByRole('link', { name: 'Misuse of keys' })).toBeVisible();
  await expect(stranger.getByRole('link', { name })).toHaveCount(0);
});

test('news announce themselves and badges change in place; the row under the cursor stays where it is', async ({
  demo,
  signIn,
  stalledWorker: _,
}) => {
  const group = `L-${randomUUID().slice(0, 8).toUpperCase()}`;
  const [one, two] = [
    await payUnknown(demo, { reference: `${group}-1` }),
    await payUnknown(demo, { reference: `${group}-2` }),
  ];
  const desk = await signIn('acme');
  await open(desk, `/admin/operations?reference=${group}`);
  await expect(rowOf(desk, two.reference)).toContainText('Unknown');
  await desk.keyboard.press('j');
  await desk.keyboard.press('j');
  const focused = rowOf(desk, one.reference).locator('[data-row-link]');
  await expect(focused).toBeFocused();
  const before = await focused.boundingBox();

  const colleague = await signIn('acme');
  await colleague.goto(`/admin/operations?reference=${group}`);
  await rowOf(colleague, two.reference).getByRole('button', { name: 'Reconcile now' }).click();
  await expect(rowOf(desk, two.reference)).toContainText('Completed');
  await payByApi(demo, { reference: `${group}-3` });
  await expect(desk.getByText('1 new, 1 changed')).toBeVisible();
  await expect(rowOf(desk, `${group}-3`)).toHaveCount(0);
  await expect(focused).toBeFocused();
  expect(await focused.boundingBox()).toEqual(before);

  await desk.getByRole('button', { name: 'Show' }).click();
  await expect(desk.locator('[data-row-link]')).toHaveText([`${group}-3`, two.reference, one.reference]);
});

test('by keyboard alone: j to the unknown, r asks the provider, the row stays with what was found', async ({
  demo,
  signIn,
  charges,
  stalledWorker: _,
}) => {
  const unknown = await payUnknown(demo);
  const desk = await signIn('acme');
  await open(desk, `/admin/operations?reference=${unknown.reference}`);
  await desk.keyboard.press('j');
  await expect(rowOf(desk, unknown.reference).locator('[data-row-link]')).toBeFocused();
  await desk.keyboard.press('r');
  await expect(rowOf(desk, unknown.reference)).toContainText('The charge was found');
  await expect(rowOf(desk, unknown.reference)).toContainText('Completed');
  expect(await charges(unknown.reference)).toHaveLength(1);
  await desk.keyboard.press('x');
  await expect(desk.getByText('1 selected')).toBeVisible();
  await desk.keyboard.press('Enter');
  await expect(desk).toHaveURL(new RegExp(unknown.operationId));

  // Typing is typing: no letter of it is a shortcut.
  await open(desk, '/admin/operations');
  await desk.getByLabel('Search operations').pressSequentially('gq?jxr/');
  await expect(desk.getByLabel('Search operations')).toHaveValue('gq?jxr/');
  await expect(desk).toHaveURL(/operations$/);
  await desk.getByLabel('Search operations').blur();
  await desk.keyboard.press('?');
  await expect(desk.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  await expectAccessible(desk);
  await desk.keyboard.press('Escape');
  await desk.keyboard.press('g');
  await desk.keyboard.press('q');
  await expect(desk).toHaveURL(/\/admin\/queue$/);
});

test('the palette opens pages, views, and an operation by its reference', async ({ demo, signIn }) => {
  const paid = await payByApi(demo);
  const desk = await signIn('acme');
  await expect(desk.getByRole('heading', { name: 'Overview' })).toBeVisible();
  await expect(async () => {
    await desk.keyboard.press('Control+k');
    await expect(desk.getByRole('combobox')).toBeFocused({ timeout: 1_000 });
  }).toPass();
  await expectAccessible(desk);
  await desk.keyboard.type(paid.reference);
  await expect(desk.getByRole('option', { name: `${paid.reference} · €12.50` })).toHaveAttribute(
    'aria-selected',
    'true',
  );
  await desk.keyboard.press('Enter');
  await expect(desk).toHaveURL(new RegExp(paid.operationId));

  await desk.keyboard.press('Control+k');
  await desk.getByRole('combobox').fill('longest');
  await expect(desk.getByRole('option', { name: /Unknown, longest first/ })).toBeVisible();
  await desk.keyboard.press('Enter');
  await expect(desk).toHaveURL(/sort=unknown/);
  await desk.keyboard.press('Control+k');
  await desk.getByRole('combobox').fill('outbox');
  await desk.keyboard.press('Enter');
  await expect(desk).toHaveURL(/\/admin\/outbox$/);
});

test('many at once: each gets a result of its own, and none stops another', async ({
  demo,
  signIn,
  charges,
  stalledWorker: _,
}) => {
  const group = `B-${randomUUID().slice(0, 8).toUpperCase()}`;
  const [settled, taken, silent, lost] = await Promise.all([
    payUnknown(demo, { reference: `${group}-SETTLED` }),
    payUnknown(demo, { reference: `${group}-TAKEN` }),
    payUnknown(demo, { reference: `${group}-SILENT` }),
    payUnknown(demo, { reference: `${group}-LOST` }),
  ]);
  const desk = await signIn('acme');
  // Without the stream this page does not learn of what a colleague does.
  await desk.route('**/api/trpc/operations.changes**', (route) => route.abort());
  await desk.route('**/api/trpc/operations.compare**', (route) => route.abort());
  // One of them does not get through; the others travel apart from it.
  await desk.route('**/api/trpc/operations.reconcileOneOfMany**', (route) =>
    route.request().postData()?.includes(lost.operationId) ? route.abort() : route.continue(),
  );
  await open(desk, `/admin/operations?reference=${group}&status=unknown`);
  await expect(desk.locator('[data-row-link]')).toHaveCount(4);

  const colleague = await signIn('acme');
  await colleague.goto(`/admin/operations?reference=${group}`);
  await rowOf(colleague, taken.reference).getByRole('button', { name: 'Reconcile now' }).click();
  await expect(rowOf(colleague, taken.reference)).toContainText('The charge was found');
  await silence(demo, silent.reference, 60);

  await desk.getByRole('button', { name: 'Select the 4 unknown on this page' }).click();
  await desk.getByRole('button', { name: 'Reconcile all 4' }).click();
  await expect(rowOf(desk, settled.reference)).toContainText('The charge was found');
  await expect(rowOf(desk, taken.reference)).toContainText('not unknown any more');
  await expect(rowOf(desk, silent.reference)).toContainText('Still unknown');
  await expect(rowOf(desk, lost.reference)).toContainText('Nothing was found out');
  await expect(desk.getByText('1 settled, 1 still unknown, 1 skipped, 1 failed')).toBeVisible();
  await expectAccessible(desk);
  await silence(demo, silent.reference, 0);
  for (const { reference } of [settled, taken, silent, lost])
    expect(await charges(reference)).toHaveLength(1);

  await desk.goto('/admin/audit');
  for (const { operationId } of [settled, silent]) {
    await expect(desk.locator(`main a[href="/admin/operations/${operationId}"]`)).toHaveCount(1);
  }
});

test('somebody of two shops looks at one, at the other, or at both; opening a row leads to its shop', async ({
  demo,
  browser,
}) => {
  const group = `M-${randomUUID().slice(0, 8).toUpperCase()}`;
  await payByApi(demo, { reference: `${group}-ACME` });
  await payByApi(demo, { reference: `${group}-GLOBEX`, shop: 'globex' });
  const boss = demo.tenants[0]?.people.at(-1);
  if (!boss) throw new Error('The demo has nobody of both shops.');
  const office = await browser.newContext({ baseURL: demo.urls.app });
  const desk = await office.newPage();
  await desk.goto(`/admin/sign-in?next=${encodeURIComponent(`/admin/operations?reference=${group}`)}`);
  await desk.getByLabel('E-mail').fill(boss.email);
  await desk.getByLabel('Password').fill(boss.password);
  await desk.getByRole('button', { name: 'Sign in' }).click();
  await expect(desk.getByRole('navigation', { name: 'Console' })).toBeVisible();
  await open(desk, `/admin/operations?reference=${group}`);
  await expect(desk.locator('[data-row-link]')).toHaveText([`${group}-ACME`]);

  const look = async (shop: string) => {
    await desk.getByText('Filters').click();
    await desk.locator('form').getByLabel('Shop').selectOption({ label: shop });
    await desk.getByRole('button', { name: 'Apply' }).click();
  };
  await look('Globex Stationery');
  await expect(desk.locator('[data-row-link]')).toHaveText([`${group}-GLOBEX`]);
  await look('All of mine');
  await expect(desk.locator('[data-row-link]')).toHaveText([`${group}-GLOBEX`, `${group}-ACME`]);
  await expect(rowOf(desk, `${group}-GLOBEX`)).toContainText('Globex Stationery');
  await rowOf(desk, `${group}-GLOBEX`).locator('[data-row-link]').click();
  await expect(desk.getByRole('heading', { level: 1, name: `${group}-GLOBEX` })).toBeVisible();
  await expect(desk.getByLabel('Shop').first().locator('option:checked')).toHaveText('Globex Stationery');
  await office.close();
});

test('the export has what the filter finds: amounts, no keys, no formulas; and nothing for strangers', async ({
  demo,
  signIn,
  page,
}) => {
  const group = `=E${randomUUID().slice(0, 8).toUpperCase()}`;
  const paid = await payByApi(demo, { reference: `${group}-1`, amountMinor: 1_999 });
  await payByApi(demo, { reference: `${group}-2`, card: 'pm_card_visa_chargeDeclined' });
  const desk = await signIn('acme');
  await open(desk, `/admin/operations?reference=${encodeURIComponent(group)}`);
  const [file] = await Promise.all([
    desk.waitForEvent('download'),
    desk.getByRole('link', { name: 'Export' }).click(),
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

  const stranger = await signIn('globex');
  const theirs = await stranger.request.get(
    `/admin/operations/export?reference=${encodeURIComponent(group)}&shop=acme`,
  );
  expect((await theirs.text()).trim().split('\r\n')).toHaveLength(1);
  const nobody = await page.request.get(`${demo.urls.app}/admin/operations/export`);
  expect(nobody.status()).toBe(401);
});
