import type { Page } from 'playwright/test';
import { expect, test } from '../fixtures.ts';

/** The page names its action as one of an earlier build did: the server of this one does not know it. */
async function ageActions(page: Page): Promise<void> {
  await page.route('**/*', (route) => {
    const headers = route.request().headers();
    const action = headers['next-action'];
    if (action === undefined) return route.continue();
    const unknown = action.replaceAll(/[0-9a-f]/g, (digit) => (digit === '0' ? '1' : '0'));
    return route.continue({ headers: { ...headers, 'next-action': unknown } });
  });
}

test('a form of a page from before a deploy says that nothing was changed, and loads the page again', async ({
  page,
  demo,
}) => {
  await page.goto(`${demo.urls.app}/s/acme/yirgacheffe`);
  const add = page.getByRole('button', { name: 'Add to cart' }).first();
  // Until JavaScript runs the browser would send the form by itself.
  await expect(add).toHaveAttribute('aria-busy', 'false');
  await ageActions(page);
  const again = page.getByRole('link', { name: 'Load the page again' });
  await add.click();
  await expect(page.getByText('nothing was added.')).toBeVisible();
  await expect(again).toBeVisible();
  await page.getByRole('button', { name: 'Buy now' }).click();
  await expect(page.getByText('Nothing was ordered and nothing was charged.')).toBeVisible();
  await page.unrouteAll();
  await again.first().click();
  await expect(again).toHaveCount(0);
  await expect(add).toHaveAttribute('aria-busy', 'false');
  await add.click();
  await expect(page.getByText('is in your cart.')).toBeAttached();
});
