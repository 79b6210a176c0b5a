import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright/test';
import { expect } from './fixtures.ts';

/** axe finds no violation once animations have ended: a colour in transition has no final contrast. */
export async function expectAccessible(page: Page, options: { rules?: string[] } = {}): Promise<void> {
  await page.evaluate(() => {
    // A spinner's animation never ends, so it is not waited for.
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    const ended = Promise.allSettled(ending.map(({ finished }) => finished));
    // An animation that the browser has paused because its element is not rendered does not end either.
    return Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 2_000))]);
  });
  // Our pages have no frames, so axe need not open a page for each.
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
 * Each page on a phone and on a desktop, in light and in dark. All rules are tried on a light phone and a dark desktop; the
 * other two differ from these in colours alone. No page is wider than its viewport.
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
