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
