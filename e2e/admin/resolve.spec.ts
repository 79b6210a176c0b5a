import { expectAccessible } from '../accessible.ts';
import type { Shopper } from '../fixtures.ts';
import { expect, openOperation, say, test } from './sign-in-as.ts';

const reason = 'The shopper called, and I have looked.';

/** The shopper pays with a card that goes wrong, and nobody knows what became of it. */
async function payInto(shopper: Shopper, card: string): Promise<string> {
  const reference = await shopper.orderSomething({ card });
  await shopper.payButton.click();
  await expect(shopper.form).toHaveAttribute('data-state', 'checking', { timeout: 15_000 });
  return reference;
}

test.describe('an unknown is resolved by the right action, and the shopper’s page follows', () => {
  for (const card of [
    'pm_fault_charged_no_answer',
    'pm_fault_charged_reset',
    'pm_fault_charged_500',
    'pm_fault_truncated_answer',
    'pm_fault_slow',
  ]) {
    test(`${card}: the provider proves the charge`, async ({ shopper, as, charges, stalledWorker: _ }) => {
      const reference = await payInto(shopper, card);
      const desk = await as('operator');
      await openOperation(desk, reference);
      await expect(desk.getByRole('row', { name: /State.*Not known yet.*Charged.*Differs/ })).toBeVisible();
      await expect(desk.getByText('The provider says the opposite')).toBeVisible();
      await expect(desk.getByRole('button', { name: 'Not charged' })).toHaveCount(0);
      await say(desk, 'Charged', reason);
      await expect(desk.getByText('The charge was found')).toBeVisible();
      await expect(desk.getByText('Completed').first()).toBeVisible();
      await shopper.expectReceipt();
      expect(await charges(reference)).toMatchObject([{ status: 'succeeded' }]);
    });
  }

  for (const card of ['pm_fault_not_charged_no_answer', 'pm_fault_not_charged_500']) {
    test(`${card}: it is fenced, then released`, async ({ shopper, as, charges, stalledWorker: _ }) => {
      const reference = await payInto(shopper, card);
      const desk = await as('operator');
      await openOperation(desk, reference);
      await expect(desk.getByText('Prepared, never confirmed')).toBeVisible();
      await expect(desk.getByText(/then releases the key; the shopper may pay again/)).toBeVisible();
      await say(desk, 'Not charged', reason);
      await expect(desk.getByText('Not charged: the key is released.')).toBeVisible();
      await expect(shopper.form).toHaveAttribute('data-state', 'ready');
      expect(await charges(reference)).toEqual([]);
    });
  }

  test('pm_fault_processing: nobody may release it; the bank’s own answer settles it', async ({
    shopper,
    as,
    charges,
    stalledWorker: _,
  }) => {
    const reference = await payInto(shopper, 'pm_fault_processing');
    const desk = await as('operator');
    await openOperation(desk, reference);
    await expect(async () => {
      await desk.getByRole('button', { name: 'Reconcile now' }).click();
      await expect(desk.getByText('The charge was found')).toBeVisible({ timeout: 1_500 });
    }).toPass();
    await shopper.expectReceipt();
    expect(await charges(reference)).toHaveLength(1);
  });

  test('a shopper whose bank was never answered: withdrawn, and free to pay again', async ({
    shopper,
    as,
    charges,
    stalledWorker: _,
  }) => {
    const reference = await payInto(shopper, 'pm_card_threeDSecure2Required');
    const desk = await as('operator');
    await openOperation(desk, reference);
    await say(desk, 'Not charged', reason);
    await expect(desk.getByText('Not charged: the key is released.')).toBeVisible();
    await expect(shopper.form).toHaveAttribute('data-state', 'ready');
    expect(await charges(reference)).toEqual([]);
  });
});

test.describe('four eyes', () => {
  test('what the provider does not prove takes a second person, who is not the first', async ({
    shopper,
    as,
    charges,
    outage,
    stalledWorker: _,
  }) => {
    const reference = await payInto(shopper, 'pm_fault_charged_no_answer');
    await outage(true);
    const operator = await as('operator');
    await openOperation(operator, reference);
    await expect(operator.getByText('The provider did not answer.')).toBeVisible();
    // Absence is never proof: the key is not released on anybody's word.
    await expect(operator.getByText(/the shopper would pay twice/)).toBeVisible();
    await say(operator, /^Propose/, 'The bank statement of 14 November lists it.');
    await expect(operator.getByText('Nothing has changed yet.')).toBeVisible();
    await expect(operator.getByRole('button', { name: 'Withdraw' })).toBeVisible();
    await expect(operator.getByRole('button', { name: 'Approve' })).toHaveCount(0);
    await expectAccessible(operator);

    const approver = await as('approver');
    await approver.goto('/admin/proposals');
    const card = approver.getByRole('article').filter({ hasText: reference });
    await expect(card).toContainText('The bank statement of 14 November lists it.');
    await expectAccessible(approver);
    await card.getByRole('button', { name: 'Approve' }).click();
    const dialog = approver.getByRole('alertdialog');
    await expect(dialog).toContainText(/Books .* as paid and sends the receipt/);
    await expectAccessible(approver);
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await expect(approver.getByText('Approved, and done.')).toBeVisible();

    // Both the first person's page and the shopper's follow by themselves.
    await expect(operator.getByText('Completed').first()).toBeVisible();
    await expect(operator.getByText('Decided by people, without the provider’s word')).toBeVisible();
    await shopper.expectReceipt();
    expect(await charges(reference)).toHaveLength(1);
  });

  test('the evidence changed after it was proposed: void, and the truth takes over', async ({
    shopper,
    as,
    charges,
    outage,
    stalledWorker: _,
  }) => {
    const reference = await payInto(shopper, 'pm_fault_charged_500');
    await outage(true);
    const operator = await as('operator');
    await openOperation(operator, reference);
    await say(operator, /^Propose/, 'The bank statement of 14 November lists it.');
    await expect(operator.getByText('Nothing has changed yet.')).toBeVisible();

    await outage(false);
    const owner = await as('owner');
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

test('two operators say it at the same moment: one verdict, and the other is told', async ({
  shopper,
  as,
  charges,
  stalledWorker: _,
}) => {
  const reference = await payInto(shopper, 'pm_fault_not_charged_no_answer');
  const desks = [await as('operator'), await as('approver')];
  for (const desk of desks) {
    await openOperation(desk, reference);
    await desk.getByRole('button', { name: 'Not charged', exact: true }).click();
    await desk.getByRole('alertdialog').getByRole('textbox').fill(reason);
  }
  await Promise.all(
    desks.map((desk) => desk.getByRole('alertdialog').getByRole('button', { name: 'Not charged' }).click()),
  );
  for (const desk of desks) {
    await expect(
      desk.getByText(/the key is released|Nothing to do\.|Somebody else was first|The evidence has changed/),
    ).toBeVisible();
    await expect(desk.getByText('Released').first()).toBeVisible();
  }
  expect(await charges(reference)).toEqual([]);
});

test('a viewer looks and cannot act, in the page and past it; the log tells who did what', async ({
  shopper,
  as,
  stalledWorker: _,
}) => {
  const reference = await payInto(shopper, 'pm_fault_charged_reset');
  const viewer = await as('viewer');
  await openOperation(viewer, reference);
  await expect(viewer.getByText('Acting on it takes the role of operator')).toBeVisible();
  for (const name of ['Reconcile now', 'Charged']) {
    await expect(viewer.getByRole('button', { name })).toHaveCount(0);
  }
  await expectAccessible(viewer);
  const operationId = viewer.url().split('/').at(-1);
  const past = await viewer.request.post('/api/trpc/operation.reconcile', { data: { operationId } });
  expect(past.status()).toBe(403);

  const operator = await as('operator');
  await openOperation(operator, reference);
  await say(operator, 'Charged', '=cmd|calc is what I was told to write');
  await expect(operator.getByText('The charge was found')).toBeVisible();
  await viewer.goto(`/admin/audit?subject=${operationId}`);
  const entry = viewer.getByRole('row').filter({ hasText: 'Gave a verdict' });
  await expect(entry).toContainText('=cmd|calc is what I was told to write');
  await expectAccessible(viewer);
  const exported = await viewer.request.get(`/admin/audit/export?subject=${operationId}`);
  expect(await exported.text()).toContain("'=cmd|calc");
  await entry.getByRole('link').click();
  await expect(viewer.getByRole('heading', { level: 1, name: reference })).toBeVisible();
});

test('a webhook’s page shows what it says without the shopper’s data', async ({ shopper, as }) => {
  const email = 'somebody-private@example.com';
  await shopper.orderSomething({ email });
  await shopper.payButton.click();
  await shopper.expectReceipt();
  const desk = await as('viewer');
  await desk.goto('/admin/webhooks?type=payment_intent.succeeded');
  await desk.getByRole('row').nth(1).getByRole('link').first().click();
  await expect(desk.getByRole('heading', { name: 'What it says' })).toBeVisible();
  await expect(desk.getByRole('region', { name: 'Payload' })).toContainText('"client_secret": "•••"');
  await expect(desk.getByText(email)).toHaveCount(0);
  await expectAccessible(desk);
});
