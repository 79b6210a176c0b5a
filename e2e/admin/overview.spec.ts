import { expectAccessible } from '../accessible.ts';
import { expect, test } from '../fixtures.ts';
import { payByApi, payUnknown } from './pay-by-api.ts';

test('the overview counts what is open, and every figure leads to the list behind it', async ({
  demo,
  signIn,
  stalledWorker: _,
}) => {
  const unknown = await payUnknown(demo, { amountMinor: 4_321 });
  const paid = await payByApi(demo);
  await payByApi(demo, { key: paid.key, reference: paid.reference });
  await payByApi(demo, { key: paid.key, reference: 'something-else' });
  const desk = await signIn('acme');
  await expect(desk.getByRole('heading', { name: 'Overview' })).toBeVisible();
  const tile = desk.getByRole('link', { name: /^Unknown/ });
  await expect(tile).toContainText(/€[\d,.]+/);
  await expect(tile).toContainText(/The oldest for \d+ (s|min)/);

  // Counting takes a second to reach the database.
  await expect(async () => {
    await desk.goto('/admin?range=1h');
    await expect(desk.getByRole('figure', { name: 'Repeats and misuse' })).toContainText(/[1-9]\d* misuse/, {
      timeout: 500,
    });
  }).toPass();
  await expect(desk.getByRole('figure', { name: 'Operations begun' })).toContainText(/[1-9]\d* payment/);
  await expect(desk.getByRole('figure', { name: 'Outcomes that became unknown' })).toContainText(
    /[1-9]\d* outcome/,
  );
  await expectAccessible(desk);

  // By keyboard a chart reads out its steps; as a table it says the same.
  const chart = desk.getByRole('figure', { name: 'Operations begun' });
  await chart.getByRole('slider').focus();
  await expect(chart.getByRole('slider')).toHaveAttribute('aria-valuetext', /Payments: \d+/);
  await chart.getByText('As a table').click();
  await expect(chart.getByRole('table')).toBeVisible();

  await desk.getByRole('link', { name: '7 days' }).click();
  await expect(desk).toHaveURL(/range=7d/);
  await desk.getByRole('link', { name: /misuse.* of a key/ }).click();
  await expect(desk.getByRole('row').filter({ hasText: paid.reference })).toContainText('key misused');
  await desk.goto('/admin');
  await tile.click();
  await expect(desk.getByRole('row').filter({ hasText: unknown.reference })).toBeVisible();
});

test('a shop in which nothing happened says so; the queue is pleasantly empty', async ({ signIn }) => {
  const desk = await signIn('globex');
  await desk.goto('/admin/queue');
  await expect(desk.getByText('Nothing waits for a person')).toBeVisible();
  await expectAccessible(desk);
});

test('times are in the operator’s zone, with the exact moment in UTC beside them', async ({
  demo,
  browser,
}) => {
  const operator = demo.tenants.find(({ slug }) => slug === 'acme')?.operator;
  if (!operator) throw new Error('The demo has no acme.');
  await payByApi(demo);
  const office = await browser.newContext({ baseURL: demo.urls.app, timezoneId: 'Asia/Kolkata' });
  const desk = await office.newPage();
  await desk.goto('/admin');
  await desk.getByLabel(/e-mail/i).fill(operator.email);
  await desk.getByLabel(/password/i).fill(operator.password);
  await desk.getByRole('button', { name: /sign in/i }).click();
  await expect(desk.getByRole('heading', { name: 'Overview' })).toBeVisible();
  await desk.goto('/admin?range=1h');
  const local = await desk.evaluate(() =>
    new Intl.DateTimeFormat('en-GB', { hour: '2-digit', timeZone: 'Asia/Kolkata' }).format(Date.now()),
  );
  const chart = desk.getByRole('figure', { name: 'Operations begun' });
  await expect(async () => {
    await desk.reload();
    await expect(chart.getByRole('slider')).toHaveAttribute(
      'aria-valuetext',
      new RegExp(`${local}:\\d\\d–`),
      {
        timeout: 1_000,
      },
    );
  }).toPass();
  await desk.goto('/admin/operations');
  const row = desk.locator('[data-operation]').first();
  await row.locator('[data-row-link]').focus();
  await expect(row.locator('time')).toContainText('UTC');
  await office.close();
});
