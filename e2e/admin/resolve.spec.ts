import type { Page } from 'playwright/test';
import { expectAccessible } from '../accessible.ts';
import type { Shopper } from '../fixtures.ts';
import { followed } from '../fixtures.ts';
import { assertOutcome, expect, openOperation, test } from './sign-in-as.ts';

const reason = 'The shopper called, and I have checked.';

/** Beside the heading; the same text appears elsewhere on the page. */
const badgeOf = (page: Page, status: string) =>
  page.getByRole('heading', { level: 1 }).locator('..').getByText(status, { exact: true });

/** The shopper pays with a card that leaves the outcome unknown. */
async function payUntilChecking(shopper: Shopper, card: string): Promise<string> {
  const reference = await shopper.orderSomething({ card });
  await shopper.payButton.click();
  await expect(shopper.form).toHaveAttribute('data-state', 'checking');
  return reference;
}

test.describe('an unknown operation is resolved by the action that the evidence supports, and the shopper’s page is updated', () => {
  for (const card of [
    'pm_fault_charged_no_response',
    'pm_fault_charged_reset',
    'pm_fault_charged_500',
    'pm_fault_truncated_response',
    'pm_fault_slow',
  ]) {
    test(`${card}: the provider proves the charge`, async ({
      shopper,
      signInAs,
      charges,
      stalledWorker: _,
    }) => {
      const reference = await payUntilChecking(shopper, card);
      const operatorPage = await signInAs('operator');
      await openOperation(operatorPage, reference);
      await expect(
        operatorPage.getByRole('row', { name: /State.*Not known yet.*Charged.*Differs/ }),
      ).toBeVisible();
      await expect(operatorPage.getByText('The provider says the opposite')).toBeVisible();
      await expect(operatorPage.getByRole('button', { name: 'Not charged' })).toHaveCount(0);
      await assertOutcome(operatorPage, 'Charged', reason);
      await expect(operatorPage.getByText('The charge was found')).toBeVisible();
      await expect(operatorPage.getByText('Paid', { exact: true }).first()).toBeVisible();
      await shopper.expectReceipt();
      expect(await charges(reference)).toMatchObject([{ status: 'succeeded' }]);
    });
  }

  for (const card of ['pm_fault_not_charged_no_response', 'pm_fault_not_charged_500']) {
    test(`${card}: it is cancelled at the provider, then released`, async ({
      shopper,
      signInAs,
      charges,
      stalledWorker: _,
    }) => {
      const reference = await payUntilChecking(shopper, card);
      const operatorPage = await signInAs('operator');
      await openOperation(operatorPage, reference);
      await expect(operatorPage.getByText('Prepared, never confirmed')).toBeVisible();
      await expect(
        operatorPage.getByText(/at the provider first; then the shopper can pay €[\d.]+ again/),
      ).toBeVisible();
      await assertOutcome(operatorPage, 'Not charged', reason);
      await expect(operatorPage.getByText('Not charged: the shopper can pay again.')).toBeVisible();
      await expect(shopper.form).toHaveAttribute('data-state', 'ready');
      expect(await charges(reference)).toEqual([]);
    });
  }

  test('pm_fault_processing: no operator may release it; the provider’s response resolves it', async ({
    shopper,
    signInAs,
    charges,
    stalledWorker: _,
  }) => {
    const reference = await payUntilChecking(shopper, 'pm_fault_processing');
    const operatorPage = await signInAs('operator');
    await openOperation(operatorPage, reference);
    await expect(async () => {
      await operatorPage.getByRole('button', { name: 'Reconcile now' }).click();
      await expect(operatorPage.getByText('The charge was found')).toBeVisible({ timeout: 1_500 });
    }).toPass();
    await shopper.expectReceipt();
    expect(await charges(reference)).toHaveLength(1);
  });

  test('a shopper who never authenticated: the payment is cancelled, and the shopper may pay again', async ({
    shopper,
    signInAs,
    charges,
    stalledWorker: _,
  }) => {
    const reference = await shopper.orderSomething({ card: 'pm_card_threeDSecure2Required' });
    const payPage = shopper.page.url();
    await shopper.payButton.click();
    await expect(
      shopper.page.getByRole('heading', { name: 'Your bank asks for confirmation' }),
    ).toBeVisible();
    const operatorPage = await signInAs('operator');
    await openOperation(operatorPage, reference);
    await assertOutcome(operatorPage, 'Not charged', reason);
    await expect(operatorPage.getByText('Not charged: the shopper can pay again.')).toBeVisible();
    await shopper.page.goto(payPage);
    await expect(shopper.form).toHaveAttribute('data-state', 'ready');
    expect(await charges(reference)).toEqual([]);
  });
});

test.describe('four eyes', () => {
  test('an outcome that the provider does not prove needs a second person to approve it', async ({
    shopper,
    signInAs,
    charges,
    outage,
    stalledWorker: _,
  }) => {
    const reference = await payUntilChecking(shopper, 'pm_fault_charged_no_response');
    await outage(true);
    const operator = await signInAs('operator');
    await openOperation(operator, reference);
    await expect(operator.getByText('The provider did not answer.')).toBeVisible();
    // Absence is not evidence, so an assertion alone does not release the key.
    await expect(operator.getByText(/the shopper would pay twice/)).toBeVisible();
    await assertOutcome(operator, /^Propose/, 'The bank statement of 14 November lists it.');
    await expect(operator.getByText('Nothing has changed yet.')).toBeVisible();
    await expect(operator.getByRole('button', { name: 'Withdraw' })).toBeVisible();
    await expect(operator.getByRole('button', { name: 'Approve' })).toHaveCount(0);
    await expectAccessible(operator);

    const approver = await signInAs('approver');
    await approver.goto('/admin/proposals');
    const card = approver.getByRole('article').filter({ hasText: reference });
    await expect(card).toContainText('The bank statement of 14 November lists it.');
    await expectAccessible(approver);
    await card.getByRole('button', { name: 'Approve' }).click();
    const dialog = approver.getByRole('alertdialog');
    await expect(dialog).toContainText(/Books .* as paid and sends the receipt/);
    await expectAccessible(approver);
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await expect(approver.getByText('Approved and recorded.')).toBeVisible();

    // The operator's page and the shopper's are updated without a reload.
    await expect(operator.getByText('Paid', { exact: true }).first()).toBeVisible();
    await expect(operator.getByText('Decided by operators; the provider did not confirm it')).toBeVisible();
    await shopper.expectReceipt();
    expect(await charges(reference)).toHaveLength(1);
  });

  test('a proposal is void when the evidence has changed since, and the provider’s outcome is recorded', async ({
    shopper,
    signInAs,
    charges,
    outage,
    stalledWorker: _,
  }) => {
    const reference = await payUntilChecking(shopper, 'pm_fault_charged_500');
    await outage(true);
    const operator = await signInAs('operator');
    await openOperation(operator, reference);
    await assertOutcome(operator, /^Propose/, 'The bank statement of 14 November lists it.');
    await expect(operator.getByText('Nothing has changed yet.')).toBeVisible();

    await outage(false);
    const owner = await signInAs('owner');
    await owner.goto('/admin/proposals');
    const card = owner.getByRole('article').filter({ hasText: reference });
    await card.getByRole('button', { name: 'Approve' }).click();
    await owner.getByRole('alertdialog').getByRole('button', { name: 'Approve' }).click();
    await expect(owner.getByText('The evidence has changed: the proposal is void.')).toBeVisible();
    await expect(owner.getByText(/The provider now says: Charged/)).toBeVisible();
    await shopper.expectReceipt();
    expect(await charges(reference)).toHaveLength(1);
  });
});

test('of two assertions at the same moment one is recorded, and the other operator sees it', async ({
  shopper,
  signInAs,
  charges,
  stalledWorker: _,
}) => {
  const reference = await payUntilChecking(shopper, 'pm_fault_not_charged_no_response');
  const operatorPages = [await signInAs('operator'), await signInAs('approver')];
  for (const operatorPage of operatorPages) {
    await openOperation(operatorPage, reference);
    await operatorPage.getByRole('button', { name: 'Not charged', exact: true }).click();
    await operatorPage.getByRole('alertdialog').getByRole('textbox').fill(reason);
  }
  await Promise.all(
    operatorPages.map((operatorPage) =>
      operatorPage.getByRole('alertdialog').getByRole('button', { name: 'Not charged' }).click(),
    ),
  );
  for (const operatorPage of operatorPages) {
    await expect(
      operatorPage.getByText(
        /the shopper can pay again\.|Nothing to do\.|No longer unknown|The evidence has changed/,
      ),
    ).toBeVisible();
    await expect(badgeOf(operatorPage, 'Not charged')).toBeVisible();
  }
  expect(await charges(reference)).toEqual([]);
});

test('a viewer can read and not act, on the page and by request; the audit log names who did what', async ({
  shopper,
  signInAs,
  stalledWorker: _,
}) => {
  const reference = await payUntilChecking(shopper, 'pm_fault_charged_reset');
  const viewer = await signInAs('viewer');
  await openOperation(viewer, reference);
  await expect(viewer.getByText('Resolving it needs the operator role')).toBeVisible();
  for (const name of ['Reconcile now', 'Charged']) {
    await expect(viewer.getByRole('button', { name })).toHaveCount(0);
  }
  await expectAccessible(viewer);
  const operationId = viewer.url().split('/').at(-1);
  const refused = await viewer.request.post('/api/trpc/operation.reconcile', { data: { operationId } });
  expect(refused.status()).toBe(403);

  const operator = await signInAs('operator');
  await openOperation(operator, reference);
  await assertOutcome(operator, 'Charged', '=cmd|calc is a formula in a reason');
  await expect(operator.getByText('The charge was found')).toBeVisible();
  await viewer.goto(`/admin/audit?subject=${operationId}`);
  const entry = viewer.getByRole('row').filter({ hasText: 'Stated the outcome' });
  await expect(entry).toContainText('=cmd|calc is a formula in a reason');
  await expectAccessible(viewer);
  const exported = await viewer.request.get(`/admin/audit/export?subject=${operationId}`, {
    headers: followed,
  });
  expect(await exported.text()).toContain("'=cmd|calc");
  await entry.getByRole('link').click();
  await expect(viewer.getByRole('heading', { level: 1, name: reference })).toBeVisible();
});

test('a webhook’s page shows its payload without the shopper’s data', async ({ shopper, signInAs }) => {
  const email = 'private@example.com';
  await shopper.orderSomething({ email });
  await shopper.payButton.click();
  await shopper.expectReceipt();
  const page = await signInAs('viewer');
  await page.goto('/admin/webhooks?type=payment_intent.succeeded');
  await page.getByRole('row').nth(1).getByRole('link').first().click();
  await expect(page.getByRole('heading', { name: 'Content' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Payload' })).toContainText('"client_secret": "•••"');
  await expect(page.getByText(email)).toHaveCount(0);
  await expectAccessible(page);
});
