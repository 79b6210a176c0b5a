import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { Page } from 'playwright/test';
import { expect } from './fixtures.ts';

// `axe.source` is twice as long, and a page takes longer to read it than to run it.
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * axe finds no violation once animations have ended: a colour in transition has no final contrast. A transition may also begin
 * while axe works, such as when a button becomes enabled; then what it saw does not count.
 */
export async function expectAccessible(page: Page, options: { rules?: string[] } = {}): Promise<void> {
  // Next streams a page's title after the page itself, and removes the old one before: axe may run in between.
  await expect(page).toHaveTitle(/\S/);
  let found: string[];
  let begun: number;
  let tries = 0;
  do {
    await untilStill(page);
    begun = await countTransitions(page);
    found = await findViolations(page, options);
    tries += 1;
  } while ((await countTransitions(page)) !== begun && tries < maxTries);
  expect(found, page.url()).toEqual([]);
}

/** A page that becomes interactive has a few transitions, one after the other. */
const maxTries = 4;

async function untilStill(page: Page): Promise<void> {
  await page.evaluate(() => {
    // A spinner's animation never ends, so it is not waited for.
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    const ended = Promise.allSettled(ending.map(({ finished }) => finished));
    // An animation that the browser has paused because its element is not rendered does not end either.
    return Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 2_000))]);
  });
}

/** How many transitions have begun since this was first called on the page. */
function countTransitions(page: Page): Promise<number> {
  return page.evaluate(() => {
    const counted = window as { transitionsBegun?: number };
    if (counted.transitionsBegun === undefined) {
      counted.transitionsBegun = 0;
      window.addEventListener('transitionrun', () => {
        counted.transitionsBegun = (counted.transitionsBegun ?? 0) + 1;
      });
    }
    return counted.transitionsBegun;
  });
}

/** All of axe's rules but that of the title, or those named. Only violations are reported: describing what passed takes more time than finding it. */
async function findViolations(page: Page, { rules }: { rules?: string[] }): Promise<string[]> {
  // Our pages have no frames, so axe is needed only in the page itself, and once for each document.
  if (await page.evaluate(() => !('axe' in window))) await page.evaluate(axeSource);
  const { violations, passed } = await page.evaluate(
    async (options) => {
      const { violations, passes } = await (window as unknown as { axe: typeof axe }).axe.run(
        document,
        options,
      );
      const found = violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
      );
      return { violations: found, passed: passes.length };
    },
    {
      resultTypes: ['violations' as const],
      ...(rules ? { runOnly: rules } : { rules: { 'document-title': { enabled: false } } }),
    },
  );
  expect(passed, `rules that apply to ${page.url()}`).toBeGreaterThan(0);
  return violations;
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
