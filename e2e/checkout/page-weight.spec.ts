import { expect, test } from '../fixtures.ts';

/**
 * The compressed JavaScript of a page in kB, prefetching included. React and Next's router are 141 kB of each; the budget is
 * the current size and about a tenth, so that a library which is added to a shop page by mistake fails this test.
 */
const budgetKb = {
  '/': 165,
  '/s/acme': 165,
  '/s/acme/yirgacheffe': 165,
  '/s/acme/cart': 165,
  order: 182,
  pay: 200,
};

test('no page of the shop exceeds its budget of JavaScript', async ({ browser, demo, shopper }) => {
  await shopper.orderSomething();
  const addresses = {
    pay: new URL(shopper.page.url()).pathname,
    order: new URL(shopper.page.url()).pathname.replace('/pay/', '/orders/'),
  };
  const weights: Record<string, number> = {};
  for (const name of Object.keys(budgetKb)) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const scripts: Promise<number>[] = [];
    page.on('requestfinished', (request) => {
      if (request.resourceType() !== 'script') return;
      scripts.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
    });
    await page.goto(`${demo.urls.app}${addresses[name as keyof typeof addresses] ?? name}`);
    await page.waitForLoadState('networkidle');
    const bytes = (await Promise.all(scripts)).reduce((sum, size) => sum + size, 0);
    weights[name] = Math.round(bytes / 1000);
    await context.close();
  }
  test.info().annotations.push({ type: 'kB of JavaScript', description: JSON.stringify(weights) });
  expect(Object.values(weights).every((kb) => kb > 0)).toBe(true);
  for (const [name, budget] of Object.entries(budgetKb))
    expect.soft(weights[name], name).toBeLessThanOrEqual(budget);
});
