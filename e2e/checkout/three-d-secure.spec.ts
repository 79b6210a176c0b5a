import { expect, type Shopper, test } from '../fixtures.ts';

const card = 'pm_card_threeDSecure2Required';

async function payUntilBankAsks(shopper: Shopper): Promise<void> {
  await shopper.payButton.click();
  await expect(shopper.status).toContainText('Your bank wants to make sure it is you.', { timeout: 15_000 });
}

async function authenticateAtBank(shopper: Shopper, sandbox: string, button: string): Promise<void> {
  await shopper.page.getByRole('button', { name: 'Go to your bank' }).click();
  await shopper.page.waitForURL(`${sandbox}/**`);
  await shopper.page.getByRole('button', { name: button }).click();
}

test('after authentication the receipt is shown, and there is one charge', async ({
  shopper,
  charges,
  demo,
}) => {
  const reference = await shopper.orderSomething({ card });
  const returns: string[] = [];
  shopper.page.on('request', (request) => {
    if (request.url().includes('payments.returned')) returns.push(request.url());
  });
  await payUntilBankAsks(shopper);
  expect((await charges(reference)).filter(({ status }) => status === 'succeeded')).toEqual([]);
  await authenticateAtBank(shopper, demo.urls.sandbox, 'Complete authentication');
  await shopper.expectReceipt();
  expect(returns).toHaveLength(1);
  expect(await charges(reference)).toMatchObject([{ status: 'succeeded', amount: 1450, currency: 'eur' }]);
});

test('after failed authentication the page says declined, its URL holds no secret, and another card pays once', async ({
  shopper,
  charges,
  demo,
}) => {
  const reference = await shopper.orderSomething({ card });
  await payUntilBankAsks(shopper);
  await authenticateAtBank(shopper, demo.urls.sandbox, 'Fail authentication');
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

test('a reload before authentication keeps the link to the bank, and sends no payment again', async ({
  shopper,
  charges,
  demo,
}) => {
  const reference = await shopper.orderSomething({ card });
  await payUntilBankAsks(shopper);
  const sent: string[] = [];
  shopper.page.on('request', (request) => {
    if (request.url().includes('payments.pay')) sent.push(request.url());
  });
  await shopper.page.reload();
  await expect(shopper.status).toContainText('Your bank wants to make sure it is you.');
  await authenticateAtBank(shopper, demo.urls.sandbox, 'Complete authentication');
  await shopper.expectReceipt();
  expect(sent).toEqual([]);
  expect(await charges(reference)).toMatchObject([{ status: 'succeeded' }]);
});
