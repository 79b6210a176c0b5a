import { expectAccessible } from '../accessible.ts';
import { expect, test } from '../fixtures.ts';

const rooms = [
  ['Overview', '/admin', 'Overview'],
  ['Operations', '/admin/operations', 'Operations'],
  ['Queue', '/admin/queue', 'Operators’ queue'],
  ['Late truths', '/admin/late', 'Late truths'],
  ['Webhooks', '/admin/webhooks', 'Webhooks'],
  ['Outbox', '/admin/outbox', 'Outbox'],
  ['Proposals', '/admin/proposals', 'Proposals'],
  ['Audit', '/admin/audit', 'Audit log'],
  ['Members', '/admin/members', 'Members'],
  ['API keys', '/admin/api-keys', 'API keys'],
  ['Settings', '/admin/settings', 'Settings'],
] as const;

test('every room of the console opens from its navigation and has no accessibility violations', async ({
  signIn,
  shopper,
}) => {
  await shopper.orderSomething();
  await shopper.payButton.click();
  await shopper.expectReceipt();
  const desk = await signIn('acme');
  for (const [name, path, heading] of rooms) {
    await desk.getByRole('navigation', { name: 'Console' }).getByRole('link', { name, exact: true }).click();
    await expect(desk).toHaveURL(new RegExp(`${path}$`));
    await expect(desk.getByRole('heading', { level: 1, name: heading })).toBeVisible();
    await expectAccessible(desk);
  }
});

test('the webhook inbox shows what came of each event, and looking again is harmless', async ({
  signIn,
  shopper,
  charges,
}) => {
  const reference = await shopper.orderSomething();
  await shopper.payButton.click();
  await shopper.expectReceipt();
  const desk = await signIn('acme');
  const row = desk.getByRole('row').filter({ hasText: 'payment_intent.succeeded' }).first();
  await expect(async () => {
    await desk.goto('/admin/webhooks');
    await expect(row).toContainText('Was settled already');
  }).toPass();
  await row.getByRole('button', { name: 'Look again' }).click();
  await expect(row.getByText('Being looked into')).toBeVisible();
  expect(await charges(reference)).toHaveLength(1);
});
