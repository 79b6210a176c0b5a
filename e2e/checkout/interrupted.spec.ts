import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright/test';
import { expect, Shopper, test } from '../fixtures.ts';
import { blockStatusReads, holdResponses, recordKeys, recordStatus } from './tabs.ts';

/** The provider charges and responds long after the server's timeout; the worker is suspended meanwhile. */
const slow = 'pm_fault_slow';
const isPayment = (request: { url(): string }) => request.url().includes('payments.pay');

test('row 7: offline before the response: the page says so, continues once online, and there is one charge', async ({
  shopper,
  charges,
  context,
}) => {
  const reference = await shopper.orderSomething();
  const keys = recordKeys(context);
  const cut = Promise.withResolvers<void>();
  await context.route(
    '**/api/trpc/payments.pay*',
    async (route) => {
      await route.fetch();
      await cut.promise;
      await route.abort('internetdisconnected');
    },
    { times: 1 },
  );
  await shopper.payButton.click();
  await expect.poll(async () => (await charges(reference)).length).toBe(1);
  await context.setOffline(true);
  cut.resolve();
  await expect(shopper.status).toContainText('You are offline.');
  await expect(shopper.status).toContainText('goes on by itself');
  await context.setOffline(false);
  await shopper.expectReceipt();
  expect(new Set(keys).size).toBe(1);
  expect(await charges(reference)).toMatchObject([{ status: 'succeeded' }]);
});

test('row 7: offline from the start: tries that never leave do not count, and the payment goes on by itself once online', async ({
  shopper,
  charges,
  context,
}) => {
  const reference = await shopper.orderSomething();
  await context.setOffline(true);
  await shopper.payButton.click();
  const retry = shopper.page.getByRole('button', { name: 'Try again now' });
  const failed: string[] = [];
  shopper.page.on('requestfailed', (request) => isPayment(request) && failed.push(request.url()));
  // More tries than the page makes before it gives up.
  while (failed.length <= 10) await retry.click();
  await expect(shopper.status).toContainText('You are offline.');
  await expect(shopper.status).not.toContainText(/may have gone through|No answer after/);
  await context.setOffline(false);
  await shopper.expectReceipt();
  expect(await charges(reference)).toMatchObject([{ status: 'succeeded' }]);
});

test('after the page has given up, being online again continues the payment without a click', async ({
  shopper,
  charges,
  context,
  page,
}) => {
  const reference = await shopper.orderSomething();
  await context.route('**/api/trpc/payments.pay*', (route) => route.abort('connectionreset'));
  await shopper.payButton.click();
  const retry = page.getByRole('button', { name: 'Try again now' });
  await expect(async () => {
    if (await page.getByText('No answer after 8 tries.').isVisible()) return;
    await retry.click({ timeout: 1_000 });
    expect(false, 'not yet').toBe(true);
  }).toPass({ intervals: [50] });
  await context.setOffline(true);
  await context.unroute('**/api/trpc/payments.pay*');
  await context.setOffline(false);
  await shopper.expectReceipt();
  expect(await charges(reference)).toHaveLength(1);
});

test('a payment that takes more than four seconds says why it takes so long', async ({
  shopper,
  context,
}) => {
  await shopper.orderSomething();
  const held = await holdResponses(context);
  await shopper.payButton.click();
  await held.received;
  await expect(shopper.status).toContainText('Still paying: the bank is taking its time.');
  await expect(shopper.status).toContainText('you will be charged once');
  held.release();
  await shopper.expectReceipt();
});

test('an attempt that is proven not charged ends with a sentence, and the form is ready', async ({
  shopper,
  charges,
}) => {
  const reference = await shopper.orderSomething({ card: 'pm_fault_not_charged_500' });
  await shopper.payButton.click();
  await expect(shopper.status).toContainText(
    /The payment did not happen, nothing was charged\.\s*You can pay now\./,
  );
  await expect(shopper.payButton).toBeEnabled();
  expect(await charges(reference)).toEqual([]);
});

test('a reload while the outcome is being checked says that it is being checked, and not that another device paid', async ({
  shopper,
  page,
  stalledWorker: _,
}) => {
  await shopper.orderSomething({ card: 'pm_fault_charged_no_response' });
  await shopper.payButton.click();
  await expect(shopper.form).toHaveAttribute('data-state', 'checking');
  const html = await (await page.request.get(page.url())).text();
  expect(html).toContain('A payment for this order is under way.');
  expect(html).not.toContain('another device');
  const said = await recordStatus(page);
  await page.reload();
  await expect(shopper.status).toContainText('being checked with the bank');
  expect(said.join('\n')).toContain('A payment for this order is under way.');
  expect(said.join('\n')).not.toContain('another window');
});

test('row 7: offline after the response: the page says paid, and the receipt opens once online', async ({
  shopper,
  charges,
  context,
}) => {
  const reference = await shopper.orderSomething();
  const held = await holdResponses(context);
  await shopper.payButton.click();
  await expect.poll(async () => (await charges(reference)).length).toBe(1);
  await context.setOffline(true);
  held.release();
  await expect(shopper.status).toContainText('You were charged once. You are offline');
  await context.setOffline(false);
  await shopper.expectReceipt();
});

test('row 8: after a reload while paying, the page continues with the same key, and there is one charge', async ({
  shopper,
  charges,
  context,
  stalledWorker,
}) => {
  const reference = await shopper.orderSomething({ card: slow });
  const keys = recordKeys(context);
  const sent = shopper.page.waitForRequest(isPayment);
  await shopper.payButton.click();
  await sent;
  await shopper.page.reload();
  await expect(shopper.page.getByLabel(/e-mail/i)).toHaveValue('shopper@example.com');
  await expect(shopper.page.locator(`input[value=${slow}]`)).toBeChecked();
  await expect(shopper.status).toContainText('being checked with the bank');
  stalledWorker.resume();
  await shopper.expectReceipt();
  expect(new Set(keys).size).toBe(1);
  expect(await charges(reference)).toMatchObject([{ status: 'succeeded' }]);
});

test('after the browser was closed while paying, the page continues with the same key, and there is one charge', async ({
  charges,
  demo,
  stalledWorker,
}, info) => {
  const profile = mkdtempSync(path.join(os.tmpdir(), 'paidonce-profile-'));
  const open = () => chromium.launchPersistentContext(profile, info.project.use.launchOptions);
  try {
    const before = await open();
    const shopper = new Shopper(await before.newPage(), demo);
    const reference = await shopper.orderSomething({ card: slow });
    const keys = recordKeys(before);
    const sent = shopper.page.waitForRequest(isPayment);
    await shopper.payButton.click();
    await sent;
    const form = shopper.page.url();
    await before.close();

    const after = await open();
    const returned = new Shopper(await after.newPage(), demo);
    const later = recordKeys(after);
    await returned.page.goto(form);
    await expect(returned.form).toHaveAttribute('data-idempotency-key', keys[0] ?? 'none');
    await expect(returned.status).toContainText('being checked with the bank');
    stalledWorker.resume();
    await returned.expectReceipt();
    expect(new Set([...keys, ...later]).size).toBe(1);
    expect(await charges(reference)).toMatchObject([{ status: 'succeeded' }]);
    await after.close();
  } finally {
    rmSync(profile, { recursive: true, force: true });
  }
});

test('while the provider is slow the page says that the payment is being checked, and then shows the receipt', async ({
  shopper,
  charges,
  stalledWorker: _,
  signIn,
}) => {
  const reference = await shopper.orderSomething({ card: slow });
  await shopper.payButton.click();
  await expect(shopper.status).toContainText('Your payment is being checked with the bank.');
  await expect(shopper.status).toContainText(`Reference to quote: ${reference} · `);

  // From here on only the stream can report what the operator finds.
  await blockStatusReads(shopper.page.context());
  const operatorPage = await signIn('acme');
  await operatorPage.goto('/admin/operations?status=unknown');
  const row = operatorPage.getByRole('row').filter({ hasText: reference });
  await row.getByRole('button', { name: 'Reconcile now' }).click();
  await expect(operatorPage.getByText('The charge was found').first()).toBeVisible();
  await shopper.expectReceipt();
  expect(await charges(reference)).toHaveLength(1);
});

test('without status reads, the stream brings the page to the receipt after the webhook', async ({
  shopper,
  charges,
  context,
}) => {
  const reference = await shopper.orderSomething({ card: 'pm_fault_processing' });
  await blockStatusReads(context);
  await shopper.payButton.click();
  await expect(shopper.form).toHaveAttribute('data-state', 'checking');
  await shopper.expectReceipt();
  expect(await charges(reference)).toMatchObject([{ status: 'succeeded' }]);
});

test('without the stream, status reads bring the page to the receipt', async ({
  shopper,
  charges,
  context,
}) => {
  const reference = await shopper.orderSomething({ card: 'pm_fault_processing' });
  await context.route('**/api/trpc/payments.watch*', (route) => route.fulfill({ status: 502 }));
  await shopper.payButton.click();
  await expect(shopper.form).toHaveAttribute('data-state', 'checking');
  await shopper.expectReceipt();
  expect(await charges(reference)).toMatchObject([{ status: 'succeeded' }]);
});

test('the page follows a payment that is under way on another device, and shows its outcome', async ({
  shopper,
  charges,
  openPage,
  demo,
}) => {
  const reference = await shopper.orderSomething({ card: 'pm_fault_processing' });
  const other = new Shopper(await openPage(), demo);
  await other.page.goto(shopper.page.url());
  await other.page.getByLabel(/e-mail/i).fill('other@example.com');
  await shopper.payButton.click();
  await expect(shopper.form).toHaveAttribute('data-state', 'checking');
  await other.payButton.click();
  await expect(other.status).toContainText('Another payment for this order is under way.');
  await other.expectReceipt();
  await shopper.expectReceipt();
  expect(await charges(reference)).toMatchObject([{ status: 'succeeded' }]);
});
