import { promiseOf } from './expectations.ts';
import type { RunRequest } from './run.ts';
import type { LanePromise } from './scenario.ts';

/** The run as a test for `npx playwright test`. It opens the page of the run, so that the fault really strikes again. */
export function exportPlaywright({ scenario, seed, cut }: RunRequest, runUrl: string): string {
  const { origin, pathname, search } = new URL(runUrl);
  const ours = assertion('protected', promiseOf(scenario, 'protected', cut).charges);
  const naive = assertion('naive', promiseOf(scenario, 'naive', cut).charges);
  return `// ${scenario.story}
//
// Save it as lab.spec.js, and run it while Paidonce runs:
//   npm install --save-dev playwright && npx playwright install chromium
//   npx playwright test lab.spec.js
// PAIDONCE_URL is for another address than ${origin}.
import { expect, test } from 'playwright/test';

const url = process.env.PAIDONCE_URL ?? '${origin}';

test('${scenario.title.replaceAll("'", "\\'")}, seed ${seed}', async ({ page }) => {
  // A run takes seconds, and a lab that has just started first starts its servers.
  test.setTimeout(120_000);
  await page.goto(\`\${url}${pathname}${search}\`);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const verdict = page.locator('[data-verdict]');
  await expect(verdict).toHaveAttribute('data-verdict', /kept|broken|failed/, { timeout: 100_000 });
  await expect(verdict).toHaveAttribute('data-verdict', 'kept');

  // Charges in the provider's own ledger.
  const charges = async (lane) => Number(await page.locator(\`[data-lane="\${lane}"]\`).getAttribute('data-charges'));
  ${ours}
  ${naive}
});
`;
}

function assertion(lane: string, charges: LanePromise['charges']): string {
  const counted = `expect(await charges('${lane}'))`;
  if (typeof charges === 'number') return `${counted}.toBe(${charges});`;
  const [min, max] = charges;
  return `${counted}.toBeGreaterThanOrEqual(${min});\n  ${counted}.toBeLessThanOrEqual(${max});`;
}
