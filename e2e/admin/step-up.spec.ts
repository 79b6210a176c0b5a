import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright/test';
import type { Login } from '../fixtures.ts';
import type { RunningApp } from '../running-app.ts';
import { inDatabase } from './database.ts';
import { test as base, expect, expectAccessibleAtRest } from './own-browsers.ts';

const test = base.extend<{ sessionsYoungAgain: undefined }>({
  /** Other tests share them. */
  sessionsYoungAgain: [
    async ({ app }, use) => {
      await use(undefined);
      await inDatabase(app, (client) =>
        client.query('UPDATE session SET active_at = now(), confirmed_at = now()'),
      );
    },
    { auto: true },
  ],
});

/** As if this person's sessions had been opened, and last used, earlier by this time. */
function letPass(app: RunningApp, { email }: Login, interval: string): Promise<unknown> {
  return inDatabase(app, (client) =>
    client.query(
      `UPDATE session SET active_at = active_at - $2::interval, confirmed_at = confirmed_at - $2::interval
       FROM "user" WHERE "user".id = session.user_id AND "user".email = $1`,
      [email, interval],
    ),
  );
}

const dialogOf = (page: Page) => page.getByRole('alertdialog', { name: 'Confirm that it is you' });

async function confirmWith(page: Page, password: string): Promise<void> {
  await dialogOf(page).getByLabel('Your password').fill(password);
  await dialogOf(page).getByRole('button', { name: 'Confirm' }).click();
}

test('an API key, half an hour after signing in: nothing typed is lost while the person proves who they are', async ({
  app,
  browserOf,
  login,
}) => {
  const person = login('owner');
  const owner = await browserOf(person);
  await owner.goto('/admin/api-keys');
  const name = `Till ${randomUUID().slice(0, 8)}`;
  await owner.getByLabel('Name').fill(name);
  await owner.getByLabel('Works for').selectOption('30');
  await owner.getByLabel(/refund/i).check();
  await letPass(app, person, '31 minutes');

  await owner.getByRole('button', { name: 'Create key' }).click();
  await expect(dialogOf(owner).getByLabel('Your password')).toBeFocused();
  await expectAccessibleAtRest(owner);
  await owner.keyboard.press('Escape');
  await expect(dialogOf(owner)).toBeHidden();
  await expect(owner.getByLabel('Name')).toHaveValue(name);
  await expect(owner.getByRole('listitem').filter({ hasText: name })).toHaveCount(0);

  await owner.getByRole('button', { name: 'Create key' }).click();
  await confirmWith(owner, 'not the password');
  await expect(dialogOf(owner).getByText('This password is wrong.')).toBeVisible();
  await expect(dialogOf(owner).getByLabel('Your password')).toBeFocused();
  await owner.keyboard.press('Escape');
  await owner.getByRole('button', { name: 'Create key' }).click();
  await expect(dialogOf(owner)).toBeVisible();
  await expect(dialogOf(owner).getByText('This password is wrong.')).toBeHidden();
  await confirmWith(owner, person.password);
  await expect(owner.getByRole('region', { name: `The key “${name}”` })).toBeFocused();
  const row = owner.getByRole('listitem').filter({ hasText: name });
  await expect(row).toContainText(/refund/i);
  await expect(row).toContainText('until');

  // The proof counts for a while.
  await owner.getByLabel('Name').fill(`${name} two`);
  await owner.getByRole('button', { name: 'Create key' }).click();
  await expect(owner.getByRole('region', { name: `The key “${name} two”` })).toBeVisible();
});

test('four eyes off, half an hour after signing in: the proof is asked for, then it is saved with the reason as typed', async ({
  app,
  browserOf,
  login,
}) => {
  const person = login('owner');
  const owner = await browserOf(person);
  const reason = `One of us is on holiday until ${randomUUID().slice(0, 8)}.`;
  await owner.goto('/admin/settings');
  await owner.getByLabel('Payment timeout (seconds)').fill('61');
  await owner.getByLabel(/need a second person/).uncheck();
  await owner.getByLabel(/Why may one person/).fill(reason);
  await letPass(app, person, '31 minutes');
  await owner.getByRole('button', { name: 'Save settings' }).click();
  await confirmWith(owner, person.password);
  await expect(owner.getByText('Saved. It takes effect within five seconds.')).toBeVisible();
  await owner.reload();
  await expect(owner.getByLabel(/need a second person/)).not.toBeChecked();
  await expect(owner.getByLabel('Payment timeout (seconds)')).toHaveValue('61');
  await owner.goto('/admin/audit');
  await expect(owner.getByText(reason)).toBeVisible();

  // To be stricter again takes no proof.
  await owner.goto('/admin/settings');
  await letPass(app, person, '31 minutes');
  await owner.getByLabel('Payment timeout (seconds)').fill('');
  await owner.getByLabel(/need a second person/).check();
  await owner.getByRole('button', { name: 'Save settings' }).click();
  await expect(owner.getByText('Saved.')).toBeVisible();
  await expect(dialogOf(owner)).toBeHidden();
});

test('a member is removed, half an hour after signing in, only by a person who proves who they are', async ({
  app,
  browserOf,
  login,
}) => {
  const person = login('owner');
  const owner = await browserOf(person);
  const id = randomUUID();
  const email = `${id}@example.com`;
  await inDatabase(app, async (client) => {
    await client.query(
      `INSERT INTO "user" (id, email, name, updated_at) VALUES ($1, $2, 'Colin Colleague', now())`,
      [id, email],
    );
    await client.query(
      `INSERT INTO member (id, organization_id, user_id, role)
       SELECT $1, organization_id, $1, 'viewer' FROM member JOIN "user" ON "user".id = member.user_id
       WHERE "user".email = $2`,
      [id, person.email],
    );
  });
  await owner.goto('/admin/members');
  const row = owner.getByRole('listitem').filter({ hasText: email });
  await letPass(app, person, '31 minutes');

  await row.getByRole('button', { name: /Remove/ }).click();
  await owner.getByRole('button', { name: 'Yes, remove' }).click();
  await expect(dialogOf(owner).getByLabel('Your password')).toBeFocused();
  await owner.keyboard.press('Escape');
  await owner.reload();
  await expect(row).toBeVisible();

  await row.getByRole('button', { name: /Remove/ }).click();
  await owner.getByRole('button', { name: 'Yes, remove' }).click();
  await confirmWith(owner, person.password);
  await expect(row).toHaveCount(0);
});

test('after eight hours without use the session ends: the page says so, and signing in leads back to it', async ({
  app,
  browserOf,
  login,
}) => {
  const person = login('operator');
  const page = await browserOf(person);
  // An open page would find out by itself, and go to the sign-in while this one is being loaded.
  await page.goto('about:blank');
  await letPass(app, person, '8 hours 1 minute');
  await page.goto('/admin/operations?status=completed');
  await expect(page.getByText('Your session has ended.')).toBeVisible();
  await expect(page.getByText('Sign in, and you are back where you were.')).toBeVisible();
  await expectAccessibleAtRest(page);
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByLabel('Password').fill(person.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/admin\/operations\?status=completed$/);
  await expect(page.getByRole('heading', { level: 1, name: 'Operations' })).toBeVisible();

  // Not only when a page is loaded: what is done on an open one says the same.
  await letPass(app, person, '8 hours 1 minute');
  await page.keyboard.press('Shift');
  await expect(page.getByText('Your session has ended.')).toBeVisible();
  await expect(page).toHaveURL(/next=%2Fadmin%2Foperations%3Fstatus%3Dcompleted/);
});
