import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright/test';
import { nextTotpOf, totpOf } from '#server/testing/totp.ts';
import { typePassword } from '../fixtures.ts';
import { inDatabase } from './database.ts';
import { expect, expectAccessibleAtRest, invite, test } from './own-browsers.ts';

test('an invited member joins, turns on a second factor and signs in with it; the invitation works once', async ({
  browserOf,
  login,
}) => {
  const owner = await browserOf(login('owner'));
  const email = `${randomUUID()}@example.com`;
  const link = await invite(owner, email, 'viewer');

  const guest = await browserOf();
  await guest.goto(link);
  await expect(guest.getByRole('heading', { name: 'Join Globex Stationery' })).toBeVisible();
  await expectAccessibleAtRest(guest);
  await guest.getByLabel('Your name').fill('Grace Hopper');
  await guest.getByLabel('Choose a password').fill('short');
  await guest.getByRole('button', { name: 'Join' }).click();
  await expect(guest.getByRole('alert').filter({ hasText: 'at least 12 characters' })).toBeFocused();
  const password = 'compile it once more';
  await guest.getByLabel('Choose a password').fill(password);
  await guest.getByRole('button', { name: 'Join' }).click();
  await expect(guest.getByRole('navigation', { name: 'Console' })).toBeVisible();

  await guest.goto('/admin/account');
  await expectAccessibleAtRest(guest);
  await guest.getByRole('button', { name: 'Turn it on' }).click();
  await guest.getByLabel('Your password').fill(password);
  await guest.getByRole('button', { name: 'Continue' }).click();
  await expect(guest.getByRole('img', { name: 'The key as a code to scan' })).toBeVisible();
  const secret = (await guest.getByTestId('totp-secret').textContent()) ?? '';
  await expectAccessibleAtRest(guest);
  await guest.getByLabel('Six digits').fill(totpOf(secret));
  await guest.getByRole('button', { name: 'Turn it on' }).click();
  const codes = guest.getByRole('list', { name: 'Backup codes' }).getByRole('listitem');
  await expect(codes).toHaveCount(10);
  const [backupCode = ''] = await codes.allTextContents();
  const download = guest.waitForEvent('download');
  await guest.getByRole('button', { name: 'Download' }).click();
  expect((await download).suggestedFilename()).toBe('paidonce-backup-codes.txt');
  await guest.getByRole('button', { name: 'I have saved them' }).click();
  await expect(guest.getByText('It is on.')).toBeVisible();

  const again = await browserOf();
  await typePassword(again, { email, password });
  const code = again.getByLabel('Code from your authenticator app');
  await expect(code).toBeFocused();
  await expectAccessibleAtRest(again);
  await code.fill('000000');
  await again.getByRole('button', { name: 'Continue' }).click();
  await expect(again.getByText('This code is not right, or was used before.')).toBeVisible();
  await code.fill(nextTotpOf(secret));
  await again.getByRole('button', { name: 'Continue' }).click();
  await expect(again.getByRole('navigation', { name: 'Console' })).toBeVisible();

  const without = await browserOf();
  await typePassword(without, { email, password });
  await without.getByRole('button', { name: 'Use a backup code instead' }).click();
  await without.getByLabel('Backup code').fill(backupCode);
  await without.getByRole('button', { name: 'Continue' }).click();
  await expect(without.getByRole('navigation', { name: 'Console' })).toBeVisible();

  // A page of the console would open the sign-in by itself when its session is lost.
  await without.goto('about:blank');
  await again.goto('/admin/account');
  await again.getByRole('button', { name: 'Sign out everywhere else' }).click();
  await expect(again.getByText('You are signed in here only')).toBeVisible();
  await without.goto('/admin/members');
  await expect(without.getByRole('heading', { name: 'Sign in' })).toBeVisible();

  // In another browser: the guest's own page, whose session was ended, may be on its way to the sign-in.
  const late = await browserOf();
  await late.goto(link);
  await expect(late.getByRole('heading', { name: 'This invitation is no longer valid' })).toBeVisible();
});

test('a viewer can read and not change; once removed they see no shop, and invited again they join', async ({
  browserOf,
  login,
}) => {
  const owner = await browserOf(login('owner'));
  const email = `${randomUUID()}@example.com`;
  const password = 'nothing but looking';
  const guest = await browserOf();
  await guest.goto(await invite(owner, email, 'viewer'));
  await guest.getByLabel('Your name').fill('Vivian Visitor');
  await guest.getByLabel('Choose a password').fill(password);
  await guest.getByRole('button', { name: 'Join' }).click();
  await expect(guest.getByRole('navigation', { name: 'Console' })).toBeVisible();

  for (const name of ['Members', 'API keys', 'Settings']) {
    await guest.getByRole('navigation', { name: 'Console' }).getByRole('link', { name }).click();
    await expect(guest.getByRole('heading', { level: 1, name })).toBeVisible();
    await expect(guest.getByRole('button', { name: /Save|Create|Remove|Revoke|Send|Set/ })).toHaveCount(0);
    await expectAccessibleAtRest(guest);
  }
  const refused = await guest.request.post('/api/trpc/apiKeys.create', { data: { name: 'mine' } });
  expect(refused.status()).toBe(403);

  // An open page would find out by itself, and be loaded again at the same moment.
  await guest.goto('about:blank');
  await owner.goto('/admin/members');
  await owner
    .getByRole('listitem')
    .filter({ hasText: email })
    .getByRole('button', { name: /Remove/ })
    .click();
  await owner.getByRole('button', { name: 'Yes, remove' }).click();
  await expect(owner.getByText(email)).toHaveCount(0);
  await guest.goto('/admin/operations');
  await expect(guest.getByRole('heading', { name: 'You are not a member of a shop' })).toBeVisible();
  await expectAccessibleAtRest(guest);

  await guest.goto(await invite(owner, email, 'operator'));
  await guest.getByRole('button', { name: 'Join Globex Stationery' }).click();
  await expect(guest.getByRole('navigation', { name: 'Console' })).toBeVisible();
});

test('five wrong passwords lock the account, also for the right password, and the page says for how long', async ({
  browserOf,
  login,
}) => {
  const [owner, page] = [await browserOf(login('owner')), await browserOf()];
  // A new account, because the lock lasts a minute and other tests use the demo's.
  const [email, password] = [`${randomUUID()}@example.com`, 'the right one, of four words'];
  await page.goto(await invite(owner, email, 'viewer'));
  await page.getByLabel('Your name').fill('Robin');
  await page.getByLabel('Choose a password').fill(password);
  await page.getByRole('button', { name: 'Join' }).click();
  await expect(page.getByRole('navigation', { name: 'Console' })).toBeVisible();
  // As above: the open page would go to the sign-in by itself.
  await page.goto('about:blank');
  await page.context().clearCookies();
  for (let n = 0; n < 5; n++) {
    await typePassword(page, { email, password: 'a wrong password' });
    await expect(page.getByRole('alert').filter({ hasText: 'is not right' })).toBeFocused();
  }
  await typePassword(page, { email, password });
  await expect(page.getByText(/This account is locked for \d+ seconds/)).toBeVisible();
  await expectAccessibleAtRest(page);
});

/** The address that this document was opened with: everything that it has read since then is in its memory. */
const openedWith = (page: Page) =>
  page.evaluate(() => new URL(performance.getEntriesByType('navigation')[0]?.name ?? '').pathname);

test('a member of two shops switches between them, and the last owner cannot be demoted', async ({
  app,
  browserOf,
  login,
  demo,
}) => {
  const ownerOfBoth = demo.tenants[0]?.people.at(-1);
  if (!ownerOfBoth) throw new Error('The demo has no owner of both shops.');
  // Not the session that tests share, because this one opens the other shop.
  const page = await browserOf();
  await typePassword(page, ownerOfBoth);
  await expect(page.getByRole('navigation', { name: 'Console' })).toBeVisible();
  expect(await openedWith(page), 'nothing of who used this browser before stays in memory').toBe('/admin');
  await page.goto('/admin/account');
  await page.getByLabel('Shop').first().selectOption({ label: 'Globex Stationery' });
  await expect(page.getByLabel('Shop').first().locator('option:checked')).toHaveText('Globex Stationery');
  expect(await openedWith(page), 'nor of the other shop').toBe('/admin');

  const globex = `tenant_id = (SELECT id FROM organization WHERE slug = 'globex')`;
  await inDatabase(app, (client) =>
    client.query(`INSERT INTO tenant_settings (tenant_id, second_factor) SELECT id, true FROM organization
      WHERE slug = 'globex' ON CONFLICT (tenant_id) DO UPDATE SET second_factor = true`),
  );
  await page.goto('/admin/members');
  await expect(page.getByText('Globex Stationery asks its members for a code')).toBeVisible();
  await expectAccessibleAtRest(page);
  await page.getByRole('button', { name: 'Acme Coffee' }).click();
  await page.waitForURL('**/admin');
  await inDatabase(app, (client) =>
    client.query(`UPDATE tenant_settings SET second_factor = false WHERE ${globex}`),
  );
  await page.reload();
  await page.getByLabel('Shop').first().selectOption({ label: 'Globex Stationery' });
  await expect(page.getByLabel('Shop').first().locator('option:checked')).toHaveText('Globex Stationery');
  await page.goto('/admin/members');
  await expect(page.getByText('The members of Globex Stationery')).toBeVisible();
  await expectAccessibleAtRest(page);

  const other = page.getByRole('listitem').filter({ hasText: login('owner').email });
  await other.getByRole('combobox').selectOption('approver');
  await other.getByRole('button', { name: /^Change the role of/ }).click();
  await expect(page.getByText('A shop needs at least one owner')).toBeVisible();
  await other.getByRole('combobox').selectOption('owner');
  await other.getByRole('button', { name: /^Change the role of/ }).click();
  await expect(page.getByText('A shop needs at least one owner')).toHaveCount(0);
});

test('an API key is shown once, authorizes API requests, and is refused after it is revoked', async ({
  browserOf,
  login,
  demo,
}) => {
  const owner = await browserOf(login('owner'));
  await owner.goto('/admin/api-keys');
  const name = `Till ${randomUUID().slice(0, 8)}`;
  await owner.getByLabel('Name').fill(name);
  await owner.getByRole('button', { name: 'Create key' }).click();
  const shown = owner.getByRole('region', { name: `The key “${name}”` });
  await expect(shown).toBeFocused();
  const key = (await shown.locator('code').textContent()) ?? '';
  await expectAccessibleAtRest(owner);
  const readOperations = () =>
    fetch(`${demo.urls.app}/api/v1/operations?key=${randomUUID()}`, {
      headers: { Authorization: `Bearer ${key}` },
    });
  expect((await readOperations()).status).toBe(200);

  await owner.reload();
  await expect(owner.getByText(key)).toHaveCount(0);
  const row = owner.getByRole('listitem').filter({ hasText: name });
  // The use of a key is written a second later, so that no request waits for it.
  await expect(async () => {
    await owner.reload();
    await expect(row).toContainText('last used', { timeout: 1_000 });
  }).toPass();
  await row.getByRole('button', { name: /Revoke/ }).click();
  await owner.getByRole('button', { name: 'Yes, revoke' }).click();
  await expect(row).toContainText('Revoked');
  expect((await readOperations()).status).toBe(401);
});

test('settings: an invalid value is reported beside its field; switching four eyes off takes a reason', async ({
  browserOf,
  login,
}) => {
  const owner = await browserOf(login('owner'));
  await owner.goto('/admin/settings');
  await owner.getByLabel('Payment timeout (seconds)').fill('1');
  await owner.getByRole('button', { name: 'Save settings' }).click();
  await expect(owner.getByRole('link', { name: /The lease must be from/ })).toBeVisible();
  await expectAccessibleAtRest(owner);
  await owner.getByLabel('Payment timeout (seconds)').fill('60');
  await owner.getByLabel(/need a second person/).uncheck();
  await owner.getByRole('button', { name: 'Save settings' }).click();
  await expect(owner.getByRole('link', { name: /Say why one person alone/ })).toBeVisible();
  await owner.getByLabel(/Why may one person/).fill('We are two, and one is on holiday.');
  await owner.getByRole('button', { name: 'Save settings' }).click();
  await expect(owner.getByText('Saved. It takes effect within five seconds.')).toBeVisible();
  await owner.reload();
  await expect(owner.getByText(/Last changed .* by owner@globex.example/)).toBeVisible();
  await expect(owner.getByLabel('Payment timeout (seconds)')).toHaveValue('60');

  // Restored, because other tests use the same installation.
  await owner.getByLabel('Payment timeout (seconds)').fill('');
  await owner.getByLabel(/need a second person/).check();
  await owner.getByRole('button', { name: 'Save settings' }).click();
  await expect(owner.getByText('Saved.')).toBeVisible();
});
