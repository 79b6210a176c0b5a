import { expectAccessible } from '../accessible.ts';
import { test } from '../fixtures.ts';

const pages = {
  'the reference': '/docs',
  'the list of problems': '/problems',
  'a problem': '/problems/idempotency_key_reused',
  'the lab': '/lab',
  'an address where there is nothing': '/nowhere',
};

for (const [name, path] of Object.entries(pages)) {
  test(`${name} has no accessibility violations, in light and dark`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await page.goto(path);
    await expectAccessible(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(page, { rules: ['color-contrast'] });
  });
}
