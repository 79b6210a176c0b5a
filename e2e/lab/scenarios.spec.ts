import { scenarios } from '#lab/scenarios.ts';
import { expect, test } from '../fixtures.ts';

/** What a scenario's lane promises, as numbers. */
function range(charges: number | readonly [number, number]): readonly [number, number] {
  return typeof charges === 'number' ? [charges, charges] : charges;
}

// This file comes last: all workers share its tests, each with an installation of its own.
test.describe.configure({ mode: 'parallel' });

for (const { name, title, promise } of scenarios) {
  test(`${name}: run from the page, one charge with Paidonce`, async ({ page, demo }) => {
    await page.goto(`${demo.urls.app}/lab/${name}?seed=7`);
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await expect(page.locator('[data-verdict]')).toHaveAttribute('data-verdict', 'kept', { timeout: 45_000 });
    for (const lane of ['protected', 'naive'] as const) {
      const charges = Number(await page.locator(`[data-lane=${lane}]`).getAttribute('data-charges'));
      const [min, max] = range(promise[lane].charges);
      expect(charges, lane).toBeGreaterThanOrEqual(min);
      expect(charges, lane).toBeLessThanOrEqual(max);
    }
  });
}
