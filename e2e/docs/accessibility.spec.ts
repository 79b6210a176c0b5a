import { expectAccessible } from '../accessible.ts';
import { expect, test } from '../fixtures.ts';

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

test('a picture without a text and pale letters are violations, on a page that had none before', async ({
  page,
}) => {
  await page.setContent(
    '<!doctype html><html lang="en"><title>Shop</title><main><h1>Shop</h1><p>Tea</p></main></html>',
  );
  await expectAccessible(page);
  await page.evaluate(() => {
    document.querySelector('main')?.append(document.createElement('img'));
    document.querySelector('p')?.setAttribute('style', 'color: #eee; background: #fff');
  });
  await expect(expectAccessible(page)).rejects.toThrow(/color-contrast: <p.*image-alt: <img/s);
  await expect(expectAccessible(page, { rules: ['color-contrast'] })).rejects.toThrow(/color-contrast: <p/);
});
