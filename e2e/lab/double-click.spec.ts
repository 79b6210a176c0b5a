import { expect, test } from '../fixtures.ts';

test('the lab shows one charge in the protected lane and two in the unprotected one', async ({
  page,
  demo,
}) => {
  await page.goto(`${demo.urls.app}/lab`);
  await page.getByRole('button', { name: 'Click Pay 2 times' }).click();
  await expect(page.getByText(/1 charge\b/i).first()).toBeVisible();
  await expect(page.getByText(/2 charges/i).first()).toBeVisible();
});
