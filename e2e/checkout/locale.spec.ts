import { expect, Shopper, test } from '../fixtures.ts';

test('amounts are written as the reader is used to, the same by the server and in the browser', async ({
  browser,
  demo,
}) => {
  const context = await browser.newContext({ locale: 'de-DE', timezoneId: 'Asia/Kolkata' });
  const page = await context.newPage();
  const shopper = new Shopper(page, demo);
  const errors: string[] = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  const amount = /14,50\s€/;
  await page.goto(`${demo.urls.app}/s/acme/yirgacheffe`);
  await expect(page.getByRole('main')).toContainText(amount);
  await shopper.orderSomething();
  await expect(shopper.payButton).toHaveText(/Pay 14,50\s€/);
  await shopper.payButton.click();
  await shopper.expectWholeReceipt();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/Paid once: 14,50\s€/);
  // The receipt's times are those of the shopper's place, and name it.
  await expect(page.getByRole('time').first()).toContainText('GMT+5:30');
  expect(errors).toEqual([]);
  await context.close();
});
