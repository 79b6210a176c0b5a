import { randomUUID } from 'node:crypto';
import { expect, invite, test } from './own-browsers.ts';
import { payByApi } from './pay-by-api.ts';

test('a key pressed on a role changes no role: that takes a second step', async ({ browserOf, login }) => {
  const owner = await browserOf(login('owner'));
  await owner.goto('/admin/members');
  const member = owner.getByRole('listitem').filter({ hasText: login('viewer').email });
  const role = member.getByRole('combobox');
  await role.focus();
  await owner.keyboard.press('ArrowDown');
  await expect(role).toHaveValue('operator');
  const change = member.getByRole('button', { name: /^Change the role of/ });
  await expect(change).toBeVisible();
  await owner.reload();
  await expect(role).toHaveValue('viewer');

  await role.selectOption('operator');
  await member.getByRole('button', { name: 'Keep it' }).click();
  await expect(role).toHaveValue('viewer');
  await expect(role).toBeFocused();

  await role.selectOption('operator');
  await change.click();
  await expect(member.getByRole('status')).toHaveText('Operator from now on.');
  await owner.reload();
  await expect(role).toHaveValue('operator');
  await role.selectOption('viewer');
  await change.click();
  await expect(member.getByRole('status')).toHaveText('Viewer from now on.');
});

test('a viewer’s list has no boxes to select rows with, because there is nothing to do with them', async ({
  browserOf,
  login,
  demo,
}) => {
  const reference = `V-${randomUUID().slice(0, 8).toUpperCase()}`;
  await payByApi(demo, { reference, shop: 'globex' });
  const boxesOf = async (role: string) => {
    const page = await browserOf(login(role));
    await page.goto(`/admin/operations?reference=${reference}`);
    await expect(page.getByRole('link', { name: reference, exact: true })).toBeVisible();
    return page.getByRole('table').getByRole('checkbox').count();
  };
  expect(await boxesOf('operator')).toBe(2);
  expect(await boxesOf('viewer')).toBe(0);
});

test('after an action that takes its own row or button away, the focus is on what took its place', async ({
  browserOf,
  login,
}) => {
  const owner = await browserOf(login('owner'));
  const first = `${randomUUID()}@example.com`;
  await invite(owner, first, 'viewer');
  await owner.goto('/admin/members');
  await owner.getByRole('button', { name: `Revoke the invitation to ${first}` }).click();
  await owner.getByRole('button', { name: 'Yes, revoke' }).click();
  await expect(owner.getByText(first)).toHaveCount(0);
  await expect(owner.getByRole('region', { name: 'Invite a member' })).toBeFocused();

  await owner.goto('/admin/api-keys');
  const name = `Till ${randomUUID().slice(0, 8)}`;
  await owner.getByLabel('Name').fill(name);
  await owner.getByRole('button', { name: 'Create key' }).click();
  await expect(owner.getByRole('region', { name: `The key “${name}”` })).toBeFocused();
  const row = owner.getByRole('listitem').filter({ hasText: name });
  await row.getByRole('button', { name: /Revoke/ }).click();
  await owner.getByRole('button', { name: 'Yes, revoke' }).click();
  await expect(row).toContainText('Revoked');
  await expect(row).toBeFocused();
});
