import { expect, test } from './own-browsers.ts';

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
