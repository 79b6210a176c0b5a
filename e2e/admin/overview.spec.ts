import type { Locator, Page } from 'playwright/test';
import { expectAccessible } from '../accessible.ts';
import { expect, test } from '../fixtures.ts';
import { inDatabase } from './database.ts';
import { payByApi, payUnknown } from './pay-by-api.ts';

/** The list that a figure links to has as many rows as the figure says, up to the length of a page. */
async function expectListOf(page: Page, figure: Locator, number = /[\d,]+/): Promise<number> {
  const text = await figure.textContent();
  const digits = text?.match(number)?.[0];
  if (!digits) throw new Error(`There is no figure in "${text}".`);
  const count = Number(digits.replaceAll(',', '').replace(/\D/g, ''));
  const overview = page.url();
  await figure.click();
  await expect(page).not.toHaveURL(overview);
  await expect(page.getByRole('heading', { level: 1, name: /Operations|Operators’ queue/ })).toBeVisible();
  await expect(page.locator('[data-operation]'), page.url()).toHaveCount(Math.min(count, 50));
  await expect(page.getByRole('link', { name: 'Next' })).toHaveCount(count > 50 ? 1 : 0);
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
  return count;
}

test('every figure of the overview links to a list of exactly what it counts', async ({
  demo,
  app,
  signIn,
  stalledWorker: _,
}) => {
  // It opens the overview and a list for each of ten figures.
  test.slow();
  const [paid, waiting, queued, known] = await Promise.all([
    payByApi(demo),
    ...[4_321, 1_000, 1_000].map((amountMinor) => payUnknown(demo, { amountMinor })),
  ]);
  if (!waiting || !queued || !known) throw new Error('Three payments were expected to be unknown.');
  await payByApi(demo, { key: paid.key, reference: paid.reference });
  await payByApi(demo, { key: paid.key, reference: 'something-else' });
  await inDatabase(app, async (client) => {
    const due =
      "UPDATE idempotency_record SET next_check_at = clock_timestamp() - interval '1 second' WHERE id = $1";
    await client.query(due, [waiting.operationId]);
    // As after four days of checks without a result.
    const escalate =
      'UPDATE idempotency_record SET escalated_at = clock_timestamp(), next_check_at = NULL WHERE id = $1';
    await client.query(escalate, [queued.operationId]);
  });
  const page = await signIn('acme');
  await page.goto(`/admin/operations?reference=${known.reference}`);
  await page.getByRole('button', { name: 'Reconcile now' }).click();
  await expect(page.getByText('The charge was found')).toBeVisible();

  await page.goto('/admin?range=1h');
  const figure = (name: RegExp) => page.getByRole('link', { name });
  const chart = (name: string) => page.getByRole('figure', { name });
  await expect(figure(/^Unknown/)).toContainText(/€[\d,.]+/);
  await expect(figure(/^Unknown/)).toContainText(/Oldest: \d+ (s|min)/);
  await expectAccessible(page);
  // No list is empty, and each is as long as its figure says.
  for (const [link, number] of [
    [figure(/^Unknown/)],
    [figure(/in the queue$/)],
    [figure(/Reconciliation/), /\d+ due/],
    [chart('Operations started').getByRole('link', { name: /^[\d,]+ payments?$/ })],
    [chart('Time to resolve').getByRole('link')],
    [chart('Outcomes that became unknown').getByRole('link', { name: /operations?$/ })],
    [chart('Repeats and misuse').getByRole('link', { name: /misused/ })],
  ] as const) {
    expect(await expectListOf(page, link, number)).toBeGreaterThan(0);
  }
  await expectListOf(page, figure(/^In progress/));
  await expectListOf(page, chart('Operations started').getByRole('link', { name: /refunds?/ }));

  await chart('Outcomes that became unknown').getByRole('link', { name: 'still unknown' }).click();
  await expect(page.getByRole('row').filter({ hasText: waiting.reference })).toBeVisible();
  await expect(page.getByRole('row').filter({ hasText: known.reference })).toHaveCount(0);
  await page.goBack();
  // Repeated requests have no list, because they create no operation. Their counts reach the database after a second.
  await expect(async () => {
    await page.goto('/admin?range=7d');
    await expect(chart('Repeats and misuse')).toContainText(
      /[1-9]\d* repeated requests? charged nothing and created no operation/,
      {
        timeout: 500,
      },
    );
  }).toPass();
  await expect(page.getByRole('link', { name: /Workers|Provider/ })).toHaveCount(0);

  // By keyboard a chart announces each interval; its table has the same values.
  await chart('Operations started').getByRole('slider').focus();
  await expect(chart('Operations started').getByRole('slider')).toHaveAttribute(
    'aria-valuetext',
    /Payments: \d+/,
  );
  await chart('Operations started').getByText('As a table').click();
  await expect(chart('Operations started').getByRole('table')).toBeVisible();
});

test('while a provider has requested a pause, the console shows until when it lasts', async ({
  app,
  signIn,
}) => {
  const pause = (seconds: number) =>
    inDatabase(app, async (client) => {
      const { rows } = await client.query(
        `INSERT INTO provider_circuit (provider, paused_until)
         VALUES ('sandbox', clock_timestamp() + $1 * interval '1 second')
         ON CONFLICT (provider) DO UPDATE SET paused_until = excluded.paused_until
         RETURNING paused_until`,
        [seconds],
      );
      return (rows[0] as { paused_until: Date }).paused_until;
    });
  const until = await pause(120);
  const page = await signIn('acme');
  const notice = /The provider has asked for a pause: no automatic check is made before/;
  for (const address of ['/admin', '/admin/operations']) {
    await page.goto(address);
    // While a page is streamed, a part of it may also be outside of where it belongs.
    const shown = page.getByRole('main').getByText(notice);
    await expect(shown).toBeVisible();
    await expect(shown.locator('time')).toHaveAttribute('datetime', until.toISOString());
    await expect(shown.locator('time')).toContainText(
      await page.evaluate((at: number) => new Date(at).toLocaleTimeString('en-GB'), until.getTime()),
    );
    await expectAccessible(page);
  }
  await pause(-1);
  for (const address of ['/admin', '/admin/operations']) {
    await page.goto(address);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.getByText(notice)).toHaveCount(0);
  }
});

test('the queue of a shop without operations says that it is empty', async ({ signIn }) => {
  const page = await signIn('globex');
  await page.goto('/admin/queue');
  await expect(page.getByText('Nothing waits in the queue')).toBeVisible();
  await expectAccessible(page);
});

test('all times are in the operator’s time zone, which every page names', async ({ demo, browser }) => {
  const operator = demo.tenants.find(({ slug }) => slug === 'acme')?.operator;
  if (!operator) throw new Error('The demo has no acme.');
  const { operationId } = await payByApi(demo);
  const context = await browser.newContext({ baseURL: demo.urls.app, timezoneId: 'Asia/Kolkata' });
  const page = await context.newPage();
  // Browsers know it by an older name.
  const zone = await page.evaluate(() => new Intl.DateTimeFormat().resolvedOptions().timeZone);
  await page.goto('/admin');
  await page.getByLabel(/e-mail/i).fill(operator.email);
  await page.getByLabel(/password/i).fill(operator.password);
  await page.getByRole('button', { name: /sign in/i }).click();
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
  await page.goto('/admin?range=1h');
  const local = await page.evaluate(() =>
    new Intl.DateTimeFormat('en-GB', { hour: '2-digit', timeZone: 'Asia/Kolkata' }).format(Date.now()),
  );
  const chart = page.getByRole('figure', { name: 'Operations started' });
  await expect(async () => {
    await page.reload();
    await expect(chart.getByRole('slider')).toHaveAttribute(
      'aria-valuetext',
      new RegExp(`${local}:\\d\\d–`),
      {
        timeout: 1_000,
      },
    );
  }).toPass();
  await page.goto('/admin/operations');
  const row = page.locator('[data-operation]').first();
  await row.locator('[data-row-link]').focus();
  await expect(row.locator('time')).toContainText(zone);
  await expect(page.getByText(`All times are in the time zone ${zone}.`)).toBeVisible();
  // An age is updated by itself, without a layout shift.
  await expect.poll(() => row.boundingBox()).not.toBeNull();
  const box = await row.boundingBox();
  const age = (await row.locator('time').textContent()) ?? '';
  await expect(row.locator('time')).not.toHaveText(age);
  expect(await row.boundingBox()).toEqual(box);

  await page.goto(`/admin/operations/${operationId}`);
  const began = page.getByRole('region', { name: 'Request' }).locator('time').first();
  const at = new Date((await began.getAttribute('datetime')) ?? '');
  const clock = (timeZone: string) =>
    new Intl.DateTimeFormat('en-GB', {
      ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', timeZone },
    }).format(at);
  await expect(began).toContainText(clock('Asia/Kolkata'));
  const exact = began.getByRole('tooltip', { includeHidden: true });
  await expect(exact).toBeHidden();
  await began.hover();
  await expect(exact).toBeVisible();
  await expect(exact).toHaveText(new RegExp(`${clock('Asia/Kolkata')}\\.\\d{3} ${zone}$`));
  await context.close();
});
