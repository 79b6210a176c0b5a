import type { Page } from 'playwright/test';
import { expect, test } from '../fixtures.ts';

/**
 * The compressed JavaScript of a page in kB, prefetching included. React and Next's router are 137 kB of each. The pay page may
 * have 200 in all, because shoppers pay on slow lines; another page its current size and about a tenth, so that a library which
 * is added to it by mistake fails this test.
 */
const budgetKb = {
  '/': 160,
  '/s/acme': 164,
  '/s/acme/yirgacheffe': 164,
  '/s/acme/cart': 164,
  pay: 200,
  receipt: 200,
};

test('no page of the shop exceeds its budget of JavaScript', async ({ browser, demo, shopper }) => {
  const weights: Record<string, number> = {};
  for (const path of Object.keys(budgetKb)) if (path.startsWith('/')) weights[path] = await weighNew(path);
  await shopper.orderSomething();
  weights.pay = await weighNew(new URL(shopper.page.url()).pathname);
  await shopper.payButton.click();
  await shopper.expectReceipt();
  // In the tab that has paid, where the demo shows what it has recorded. A route keeps the browser from its cache.
  await shopper.page.route('**/*', (route) => route.continue());
  weights.receipt = await measureWeight(shopper.page, async () => {
    await shopper.page.reload();
    await expect(shopper.page.getByText('What just happened')).toBeVisible();
  });

  test.info().annotations.push({ type: 'kB of JavaScript', description: JSON.stringify(weights) });
  for (const [name, budget] of Object.entries(budgetKb)) {
    expect.soft(weights[name], name).toBeGreaterThan(100);
    expect.soft(weights[name], name).toBeLessThanOrEqual(budget);
  }

  /** In a browser that has nothing in its cache. */
  async function weighNew(path: string): Promise<number> {
    const context = await browser.newContext({ baseURL: demo.urls.app });
    const page = await context.newPage();
    const kb = await measureWeight(page, () => page.goto(path));
    await context.close();
    return kb;
  }
});

async function measureWeight(page: Page, load: () => Promise<unknown>): Promise<number> {
  const scripts: Promise<number>[] = [];
  page.on('requestfinished', (request) => {
    if (request.resourceType() !== 'script') return;
    scripts.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
  });
  await load();
  await page.waitForLoadState('networkidle');
  const bytes = (await Promise.all(scripts)).reduce((sum, size) => sum + size, 0);
  return Math.round(bytes / 1000);
}
