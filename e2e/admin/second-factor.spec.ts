import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright/test';
import { nextTotpOf, totpOf } from '#server/testing/totp.ts';
import { type Login, typePassword } from '../fixtures.ts';
import { inDatabase } from './database.ts';
import { test as base, expect, expectAccessibleAtRest, invite } from './own-browsers.ts';

const test = base.extend<{ shopAsksAgain: undefined }>({
  /** Other tests of this installation sign in to the same shop without a code. */
  shopAsksAgain: [
    async ({ app }, use) => {
      await use(undefined);
      await inDatabase(app, (client) => client.query('UPDATE tenant_settings SET second_factor = false'));
    },
    { auto: true },
  ],
});

async function join(guest: Page, link: string): Promise<Login> {
  await guest.goto(link);
  await guest.getByLabel('Your name').fill('Grace Hopper');
  const password = 'compile it once more';
  await guest.getByLabel('Choose a password').fill(password);
  await guest.getByRole('button', { name: 'Join' }).click();
  await expect(guest.getByRole('navigation', { name: 'Console' })).toBeVisible();
  return { email: '', password };
}

/** On the page that offers it. Returns the app's secret and the backup codes as they are shown. */
async function enrol(page: Page, password: string): Promise<{ secret: string; codes: string[] }> {
  await page.getByRole('button', { name: 'Turn it on' }).click();
  await page.getByLabel('Your password').fill(password);
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByRole('img', { name: 'The key as a code to scan' })).toBeVisible();
  const secret = (await page.getByTestId('totp-secret').textContent()) ?? '';
  await page.getByLabel('Six digits').fill(totpOf(secret));
  await page.getByRole('button', { name: 'Turn it on' }).click();
  const codes = page.getByRole('list', { name: 'Backup codes' }).getByRole('listitem');
  await expect(codes).toHaveCount(10);
  return { secret, codes: await codes.allTextContents() };
}

test('a shop that asks for a second factor shows a member without one nothing before they have it, and then the page they came for', async ({
  browserOf,
  login,
}) => {
  const founder = await browserOf(login('owner'));
  const [ownerEmail, memberEmail] = [`${randomUUID()}@example.com`, `${randomUUID()}@example.com`];
  const owner = await browserOf();
  const { password } = await join(owner, await invite(founder, ownerEmail, 'owner'));
  const member = await browserOf();
  await join(member, await invite(founder, memberEmail, 'viewer'));

  await owner.goto('/admin/settings');
  await owner.getByLabel('Every member needs a second factor').check();
  await owner.getByRole('button', { name: 'Save settings' }).click();
  await expect(owner.getByRole('link', { name: /Set up a second factor of your own first/ })).toBeVisible();
  await owner.goto('/admin/account');
  await enrol(owner, password);
  await owner.getByRole('button', { name: 'I have saved them' }).click();
  await owner.goto('/admin/settings');
  await owner.getByLabel('Every member needs a second factor').check();
  await owner.getByRole('button', { name: 'Save settings' }).click();
  await expect(owner.getByText('Saved. It takes effect within five seconds.')).toBeVisible();

  const heading = member.getByRole('heading', { name: 'Set up a second factor' });
  for (const page of ['/admin', '/admin/account', '/admin/members', '/admin/payments/export']) {
    if (page.endsWith('export')) {
      const refused = await member.request.get(page, { headers: { 'sec-fetch-site': 'same-origin' } });
      expect(refused.status()).toBe(403);
      continue;
    }
    await member.goto(page);
    await expect(heading).toBeVisible();
  }
  await member.goto('/admin/operations?status=unknown');
  await expect(heading).toBeVisible();
  await expectAccessibleAtRest(member);

  const { codes } = await enrol(member, password);
  expect(new Set(codes).size).toBe(10);
  await expect(member.getByRole('heading', { name: /Save these backup codes/ })).toBeFocused();
  await member.getByRole('button', { name: 'I have saved them' }).click();
  await member.waitForURL(/\/admin\/operations\?status=unknown$/);
  await expect(member.getByRole('navigation', { name: 'Console' })).toBeVisible();
});

test('a code of the app and a backup code each open a session once', async ({ browserOf, login }) => {
  const owner = await browserOf(login('owner'));
  const email = `${randomUUID()}@example.com`;
  const guest = await browserOf();
  const { password } = await join(guest, await invite(owner, email, 'viewer'));
  await guest.goto('/admin/account');
  const { secret, codes } = await enrol(guest, password);

  const code = nextTotpOf(secret);
  const [first, second] = [await browserOf(), await browserOf()];
  await typePassword(first, { email, password });
  await first.getByLabel('Code from your authenticator app').fill(code);
  await first.getByRole('button', { name: 'Continue' }).click();
  await expect(first.getByRole('navigation', { name: 'Console' })).toBeVisible();
  await typePassword(second, { email, password });
  await second.getByLabel('Code from your authenticator app').fill(code);
  await second.getByRole('button', { name: 'Continue' }).click();
  await expect(second.getByText('This code is not right, or was used before.')).toBeVisible();

  const [backup = '', other = ''] = codes;
  await second.getByRole('button', { name: 'Use a backup code instead' }).click();
  await second.getByLabel('Backup code').fill(backup);
  await second.getByRole('button', { name: 'Continue' }).click();
  await expect(second.getByRole('navigation', { name: 'Console' })).toBeVisible();
  const third = await browserOf();
  await typePassword(third, { email, password });
  await third.getByRole('button', { name: 'Use a backup code instead' }).click();
  await third.getByLabel('Backup code').fill(backup);
  await third.getByRole('button', { name: 'Continue' }).click();
  await expect(third.getByText('This is not one of your backup codes, or it was used before.')).toBeVisible();
  await third.getByLabel('Backup code').fill(other);
  await third.getByRole('button', { name: 'Continue' }).click();
  await expect(third.getByRole('navigation', { name: 'Console' })).toBeVisible();
});

test('new backup codes, a new password and turning it off take the password and a code', async ({
  browserOf,
  login,
}) => {
  const owner = await browserOf(login('owner'));
  const guest = await browserOf();
  const { password } = await join(guest, await invite(owner, `${randomUUID()}@example.com`, 'viewer'));
  await guest.goto('/admin/account');
  const { secret } = await enrol(guest, password);
  await guest.getByRole('button', { name: 'I have saved them' }).click();

  await guest.getByRole('button', { name: 'New backup codes' }).click();
  const form = guest.getByRole('form', { name: 'New backup codes' });
  await form.getByLabel('Your password').fill(password);
  await form.getByRole('button', { name: 'Create new codes' }).click();
  await expect(form.getByText('Enter a code of your authenticator app')).toBeVisible();
  await form.getByLabel('Code from your authenticator app').fill(nextTotpOf(secret));
  await expectAccessibleAtRest(guest);
  await form.getByRole('button', { name: 'Create new codes' }).click();
  const list = guest.getByRole('list', { name: 'Backup codes' }).getByRole('listitem');
  await expect(list).toHaveCount(10);
  const [first = '', second = ''] = await list.allTextContents();
  await guest.getByRole('button', { name: 'I have saved them' }).click();

  const changed = 'compile it twice more';
  const change = guest.getByRole('form', { name: 'Change password' });
  await change.getByLabel('Current password').fill(password);
  await change.getByLabel('New password').fill(changed);
  await change.getByLabel('Code from your authenticator app').fill(first);
  await change.getByRole('button', { name: 'Change password' }).click();
  await expect(change.getByText('Changed. You have been signed out everywhere else.')).toBeVisible();

  await guest.getByRole('button', { name: 'Turn it off' }).click();
  const off = guest.getByRole('form', { name: 'Turn it off' });
  await off.getByLabel('Your password').fill(changed);
  await off.getByLabel('Code from your authenticator app').fill(second);
  await off.getByRole('button', { name: 'Turn it off' }).click();
  await expect(guest.getByText('It is off.')).toBeVisible();
});
