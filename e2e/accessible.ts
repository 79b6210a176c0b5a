import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright/test';
import { expect } from './fixtures.ts';

/** Nothing for axe to find, once what moves has come to rest: a colour on its way to another has no contrast yet. */
export async function expectAccessible(page: Page, options: { rules?: string[] } = {}): Promise<void> {
  await page.evaluate(() => {
    // A spinner never comes to rest.
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    const atRest = Promise.allSettled(ending.map(({ finished }) => finished));
    // Nor does one that the browser has put off, of something that is not drawn.
    return Promise.race([atRest, new Promise((resolve) => setTimeout(resolve, 2_000))]);
  });
  // Our pages have no frames of their own, so axe need not open a page for every look at one.
  const axe = new AxeBuilder({ page }).setLegacyMode();
  const { violations } = await (options.rules ? axe.withRules(options.rules) : axe).analyze();
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  );
  expect(found, page.url()).toEqual([]);
}

const sizes = [
  { width: 390, height: 844 },
  { width: 1280, height: 900 },
];

/**
 * Each page on a phone and on a desk, in light and in dark. All rules are tried on a light phone and a dark desk; the other
 * two differ from these in colours alone. No page is wider than what it is shown on.
 */
export async function expectAccessibleEverywhere(page: Page): Promise<void> {
  for (const [index, size] of sizes.entries()) {
    await page.setViewportSize(size);
    for (const [other, colorScheme] of (['light', 'dark'] as const).entries()) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await expectAccessible(page, index === other ? {} : { rules: ['color-contrast'] });
    }
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow, `${page.url()} is too wide for ${size.width}`).toBeLessThanOrEqual(0);
  }
}
