import { expectAccessible } from '../accessible.ts';
import { expect, type Shopper, test } from '../fixtures.ts';
import { recordStatus } from './tabs.ts';

const card = 'pm_card_threeDSecure2Required';
const asksForConfirmation = 'Your bank wants to make sure it is you.';

/** Pays, and waits until the page has opened the bank's by itself. */
async function payUntilAtBank(shopper: Shopper, sandbox: string): Promise<void> {
  await shopper.payButton.click();
  await expect(shopper.status).toContainText(asksForConfirmation);
  await expect(shopper.status).toContainText('Its page opens by itself.');
  await shopper.page.waitForURL(`${sandbox}/**`);
}

/** Back without having confirmed: the page is loaded again, or comes from the back-forward cache. */
async function comeBack(shopper: Shopper): Promise<void> {
  await shopper.page.goBack();
  await expect(shopper.status).toContainText(asksForConfirmation);
  await expect(shopper.page.getByRole('button', { name: 'Go to your bank' })).toBeEnabled();
}

test('the bank’s page opens by itself; after authentication the receipt is shown, there is one charge, and no page says that another window paid', async ({
  shopper,
  charges,
  demo,
  stalledWorker,
}) => {
  // While the worker is suspended no webhook is processed, so the shopper's return is what asks the provider.
  const reference = await shopper.orderSomething({ card });
  const returns: string[] = [];
  shopper.page.on('request', (request) => {
    if (request.url().includes('payments.returned')) returns.push(request.url());
  });
  await payUntilAtBank(shopper, demo.urls.sandbox);
  expect((await charges(reference)).filter(({ status }) => status === 'succeeded')).toEqual([]);
  const said = await recordStatus(shopper.page);
  await shopper.page.getByRole('button', { name: 'Complete authentication' }).click();
  await shopper.expectReceipt();
  expect(returns).toHaveLength(1);
  expect(said.join('\n')).toContain('A payment for this order is under way.');
  expect(said.join('\n')).not.toContain('another window');
  expect(await charges(reference)).toMatchObject([{ status: 'succeeded', amount: 1450, currency: 'eur' }]);
  stalledWorker.resume();
});

test('after failed authentication the page says declined, its URL holds no secret, and another card pays once', async ({
  shopper,
  charges,
  demo,
}) => {
  const reference = await shopper.orderSomething({ card });
  await payUntilAtBank(shopper, demo.urls.sandbox);
  await shopper.page.getByRole('button', { name: 'Fail authentication' }).click();
  await shopper.page.waitForURL(/\/pay\//);
  await expect(shopper.status).toContainText('Your bank could not confirm that it was you.');
  await expect(shopper.status).toContainText('Nothing was charged.');
  expect(new URL(shopper.page.url()).search).toBe('');

  await shopper.chooseCard('pm_card_visa');
  await shopper.payButton.click();
  await shopper.expectReceipt();
  const statuses = (await charges(reference)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 'succeeded')).toHaveLength(1);
});

test('a shopper who comes back from the bank is not sent there again; the form is locked, and nothing is paid again', async ({
  shopper,
  charges,
  demo,
}) => {
  const { page } = shopper;
  const reference = await shopper.orderSomething({ card });
  await payUntilAtBank(shopper, demo.urls.sandbox);
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('payments.pay')) sent.push(request.url());
  });
  const said = await recordStatus(page);
  await comeBack(shopper);
  await page.reload();
  await expect(shopper.status).toContainText(asksForConfirmation);
  expect(said.join('\n')).toContain('A payment for this order is under way.');
  expect(said.join('\n')).not.toContain('another window');
  await expectAccessible(page);
  await expect(page.getByLabel(/e-mail/i)).not.toBeEditable();
  await page.locator('input[value=pm_card_visa]').click({ force: true });
  await expect(page.locator(`input[value=${card}]`)).toBeChecked();
  await page.getByRole('button', { name: 'Go to your bank' }).click();
  await page.waitForURL(`${demo.urls.sandbox}/**`);
  await page.getByRole('button', { name: 'Complete authentication' }).click();
  await shopper.expectReceipt();
  expect(sent).toEqual([]);
  expect(await charges(reference)).toMatchObject([{ status: 'succeeded' }]);
});

test('cancelled before authentication, another card pays, and the first can no longer be confirmed', async ({
  shopper,
  charges,
  demo,
}) => {
  const { page } = shopper;
  const reference = await shopper.orderSomething({ card });
  await payUntilAtBank(shopper, demo.urls.sandbox);
  const bank = page.url();
  await comeBack(shopper);
  await page.getByRole('button', { name: 'Cancel and use another card' }).click();
  await expect(shopper.status).toContainText('The payment did not happen, nothing was charged.');
  await expect(page.getByLabel(/e-mail/i)).toBeEditable();
  await expect(page.getByRole('group', { name: 'Card', exact: true })).toBeFocused();
  await shopper.chooseCard('pm_card_visa');
  await shopper.payButton.click();
  await shopper.expectReceipt();
  await page.goto(bank);
  await expect(page.getByRole('button', { name: 'Complete authentication' })).toHaveCount(0);
  const taken = (await charges(reference)).filter(({ status }) => status === 'succeeded');
  expect(taken).toHaveLength(1);
});

test('a shopper who cancels before the bank’s page has opened stays here, and is not left without a word if cancelling fails', async ({
  shopper,
  charges,
  demo,
}) => {
  const { page } = shopper;
  await page.clock.install();
  const reference = await shopper.orderSomething({ card });
  const atBank: string[] = [];
  page.on('request', (request) => {
    if (request.url().startsWith(demo.urls.sandbox)) atBank.push(request.url());
  });
  await page.route('**/api/trpc/payments.cancelPayment*', (route) => route.abort('connectionreset'), {
    times: 1,
  });
  // Faster than the bank's page opens, on a machine of any speed.
  await page.evaluate(() => {
    const press = new MutationObserver(() => {
      const button = [...document.querySelectorAll('button')].find(({ textContent }) =>
        textContent.includes('Cancel and use another card'),
      );
      if (!button) return;
      press.disconnect();
      button.click();
    });
    press.observe(document.body, { subtree: true, childList: true });
  });
  await shopper.payButton.click();
  await expect(shopper.status).toContainText('It is not clear yet whether the payment was cancelled.');
  await page.clock.fastForward(5_000);
  await page.getByRole('button', { name: 'Cancel and use another card' }).click();
  await expect(shopper.status).toContainText('The payment did not happen, nothing was charged.');
  expect(atBank).toEqual([]);
  expect((await charges(reference)).filter(({ status }) => status === 'succeeded')).toEqual([]);
});
