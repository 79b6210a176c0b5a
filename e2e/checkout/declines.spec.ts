import { expect, test } from '../fixtures.ts';

const declines = [
  ['chargeDeclined', 'Your bank declined this card.', 'the bank did not say why'],
  ['chargeDeclinedInsufficientFunds', 'not enough money on this card', 'not enough money on the card'],
  ['chargeDeclinedExpiredCard', 'this card has expired', 'the card has expired'],
  ['chargeDeclinedIncorrectCvc', 'the security code is wrong', 'the security code was wrong'],
  ['chargeDeclinedProcessingError', 'could not process the card', 'the bank could not process the card'],
] as const;

test('row 14: every decline says why and that nothing was charged; then another card pays once, and the receipt lists all attempts', async ({
  shopper,
  charges,
}) => {
  const reference = await shopper.orderSomething();
  for (const [card, reason] of declines) {
    await shopper.chooseCard(`pm_card_visa_${card}`);
    await shopper.payButton.click();
    await expect(shopper.status).toContainText(reason);
    await expect(shopper.status).toContainText('Nothing was charged.');
  }
  await shopper.chooseCard('pm_card_visa');
  await shopper.payButton.click();
  await shopper.expectReceipt();

  const { page } = shopper;
  await expect(page.getByRole('heading', { name: '6 attempts, one charge' })).toBeVisible();
  const attempts = page.getByRole('region', { name: '6 attempts, one charge' }).getByRole('listitem');
  for (const [index, [, , reason]] of declines.entries()) {
    await expect(attempts.nth(index)).toContainText(`Declined, not charged: ${reason}`);
  }
  await expect(attempts.nth(declines.length)).toContainText('Charged');
  await expect(page.getByRole('heading', { name: /Bank record: 1 charge/ })).toBeVisible();
  await expect(page.getByText('It also has 5 refused attempts, which moved no money.')).toBeVisible();
  const statuses = (await charges(reference)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 'succeeded')).toHaveLength(1);
});
