import { AxeBuilder } from '@axe-core/playwright';
import { expect, test } from '../fixtures.ts';

const rooms = [
  ['Operations', '/admin'],
  ['Proposals', '/admin/proposals'],
  ['Late truths', '/admin/late'],
  ['Webhooks', '/admin/webhooks'],
  ['Outbox', '/admin/outbox'],
  ['Audit', '/admin/audit'],
] as const;

test('every room of the console opens from its navigation and has no accessibility violations', async ({
  signIn,
  shopper,
}) => {
  await shopper.orderSomething();
  await shopper.payButton.click();
  await shopper.expectReceipt();
  const desk = await signIn('acme');
  for (const [name, path] of rooms) {
    await desk.getByRole('navigation', { name: 'Console' }).getByRole('link', { name }).click();
    await expect(desk).toHaveURL(new RegExp(`${path}$`));
    await expect(desk.getByRole('heading', { level: 1, name })).toBeVisible();
    expect((await new AxeBuilder({ page: desk }).analyze()).violations).toEqual([]);
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
    await expect(row).toContainText('nothing_to_do');
  }).toPass();
  await row.getByRole('button', { name: 'Look again' }).click();
  await expect(row.getByText('Being looked into')).toBeVisible();
  expect(await charges(reference)).toHaveLength(1);
});
