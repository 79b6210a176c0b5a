import { randomUUID } from 'node:crypto';
import { expect, test } from './own-browsers.ts';
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
