import type { Page } from 'playwright/test';
import { expect, test } from './fixtures.ts';

const options = { reducedMotion: 'reduce' } as const;
/** None of these holds on a new page. */
const media = [
  'print',
  '(prefers-color-scheme: dark)',
  '(forced-colors: active)',
  '(prefers-reduced-motion: no-preference)',
];

test('a page that is taken again has nothing of what the test before left', async ({ keptPages, demo }) => {
  const { app } = demo.urls;
  const page = await keptPages.take(options);
  const context = page.context();
  await page.goto(app);
  const heard: string[] = [];
  page.on('request', (request) => heard.push(request.url()));
  context.on('request', (request) => heard.push(request.url()));
  await context.addCookies([{ name: 'left', value: 'behind', url: app }]);
  await page.evaluate(() => {
    localStorage.setItem('left', 'behind');
    sessionStorage.setItem('left', 'behind');
  });
  await page.route('**/api/health', (route) => route.fulfill({ status: 418 }));
  await context.route('**/icon.svg*', (route) => route.fulfill({ status: 418 }));
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({
    media: 'print',
    colorScheme: 'dark',
    forcedColors: 'active',
    reducedMotion: 'no-preference',
  });
  await context.grantPermissions(['clipboard-read']);
  await (await context.newPage()).goto(app);
  await context.setOffline(true);
  await keptPages.giveBack(page, options);

  const again = await keptPages.take(options);
  expect(again).toBe(page);
  heard.length = 0;
  await again.goto(app);
  expect((await context.cookies()).map(({ name }) => name)).not.toContain('left');
  const left = await again.evaluate(
    async (queries) => ({
      stored: [localStorage.getItem('left'), sessionStorage.getItem('left')],
      statuses: await Promise.all(
        ['/api/health', '/icon.svg'].map(async (path) => (await fetch(path)).status),
      ),
      media: queries.filter((query) => matchMedia(query).matches),
      width: innerWidth,
      clipboard: (await navigator.permissions.query({ name: 'clipboard-read' as PermissionName })).state,
    }),
    media,
  );
  expect(left).toMatchObject({ stored: [null, null], statuses: [200, 200], media: [], width: 1280 });
  expect(left.clipboard).not.toBe('granted');
  expect(context.pages()).toEqual([page]);
  expect(heard).toEqual([]);
  await keptPages.giveBack(again, options);
});

for (const [what, spend] of [
  ['an added script', (page) => page.addInitScript(() => undefined)],
  ['an exposed function', (page) => page.exposeFunction('left', () => undefined)],
  ['another clock', (page) => page.clock.install()],
  ['been closed', (page) => page.close()],
] as [string, (page: Page) => Promise<unknown>][]) {
  test(`a page that has ${what} is not taken again`, async ({ keptPages }) => {
    const page = await keptPages.take(options);
    await spend(page);
    await keptPages.giveBack(page, options);
    const next = await keptPages.take(options);
    expect(next).not.toBe(page);
    expect(next.context()).not.toBe(page.context());
    await keptPages.giveBack(next, options);
  });
}
