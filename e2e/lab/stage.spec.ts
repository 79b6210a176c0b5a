import type { Page } from 'playwright/test';
import { expectAccessible, expectAccessibleEverywhere } from '../accessible.ts';
import { expect, test } from '../fixtures.ts';

test.use({ contextOptions: { reducedMotion: 'no-preference' } });

async function run(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(page.locator('[data-verdict]')).toHaveAttribute('data-verdict', 'kept', { timeout: 45_000 });
}

test('the result is one sentence from the bank’s ledger, and the trace is there as text', async ({
  page,
  demo,
}) => {
  await page.goto(`${demo.urls.app}/lab`);
  await run(page);
  await expect(page.getByRole('status')).toContainText(
    /1 charge with Paidonce, 2 charges without: €[\d.]+ too much/,
  );
  const lane = page.getByRole('region', { name: 'With Paidonce' });
  await lane.getByText('The same as text').click();
  const list = lane.getByRole('list', { name: 'What happened: With Paidonce' });
  await expect(list.getByText('Key claimed')).toBeVisible();
  await expect(list.getByText('Confirm: money moves')).toHaveCount(1);
  await expectAccessibleEverywhere(page);
});

test('a run of which a reading fails is followed to its end, and is stepped and replayed by keyboard', async ({
  page,
  demo,
}) => {
  await page.goto(`${demo.urls.app}/lab/drop-before-send?seed=3`);
  await page.route('**/api/trpc/lab.read*', (route) => route.abort(), { times: 1 });
  await run(page);
  const bar = page.getByRole('toolbar', { name: 'Replay' });
  const position = bar.getByText(/\d+ of \d+/);
  await bar.getByRole('button', { name: 'To the beginning' }).press('Enter');
  await expect(position).toHaveText(/^0 of/);
  await bar.getByRole('button', { name: 'One step forward' }).press('Enter');
  await expect(position).toHaveText(/^1 of/);
  await bar.getByRole('button', { name: 'Replay' }).press('Enter');
  await expect(position).toHaveText(/^(\d+) of \1$/);
});

test('the cut moves by keyboard, and the address reproduces the run', async ({ page, demo }) => {
  await page.goto(`${demo.urls.app}/lab/drop-after-send?seed=5`);
  const slider = page.getByRole('slider', { name: /The connection is cut/ });
  await expect(slider).toHaveAttribute('aria-valuetext', 'before the response');
  await slider.press('Home');
  await expect(slider).toHaveAttribute('aria-valuetext', 'before sending');
  await slider.press('ArrowRight');
  await run(page);
  await expect(page).toHaveURL(/\/lab\/drop-after-send\?seed=5&cut=after_claim$/);
  const amount = await page.locator('[data-lane=protected] .money').first().textContent();
  await page.reload();
  await expect(slider).toHaveAttribute('aria-valuetext', 'after the claim');
  await run(page);
  await expect(page.locator('[data-lane=protected] .money').first()).toHaveText(amount ?? '');
});

test('the last event is in view when a run is over, also without motion', async ({ page, demo }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  // So low that the diagram has to scroll.
  await page.setViewportSize({ width: 1280, height: 400 });
  await page.goto(`${demo.urls.app}/lab/two-tabs`);
  await run(page);
  const diagram = page.getByRole('img', { name: 'Sequence diagram: With Paidonce' });
  const left = () => diagram.evaluate((box) => box.scrollHeight - box.clientHeight - box.scrollTop);
  await expect.poll(left).toBeLessThan(1);
  // So that the test is about scrolling.
  expect(await diagram.evaluate((box) => box.scrollTop)).toBeGreaterThan(0);
});

test('the cut is dragged with the mouse', async ({ page, demo }) => {
  await page.goto(`${demo.urls.app}/lab/server-killed`);
  const slider = page.getByRole('slider', { name: /The server is killed/ });
  await expect(slider).toHaveAttribute('aria-valuetext', 'after the charge');
  const box = await slider.boundingBox();
  if (!box) throw new Error('The slider is not visible.');
  const y = box.y + box.height / 2;
  const half = 12; // of the thumb, which stays within the line
  const xOf = (index: number) => box.x + half + ((box.width - 2 * half) * index) / 6;
  await page.mouse.move(xOf(4), y);
  await page.mouse.down();
  await page.mouse.move(xOf(3), y, { steps: 4 });
  await page.mouse.move(xOf(1), y, { steps: 4 });
  await page.mouse.up();
  await expect(slider).toHaveAttribute('aria-valuetext', 'after the claim');
});

test('the seed can be emptied and typed anew, and the run has it', async ({ page, demo }) => {
  await page.goto(`${demo.urls.app}/lab/drop-before-send?seed=3`);
  const seed = page.getByRole('spinbutton', { name: 'Seed' });
  await seed.fill('');
  await expect(seed).toHaveValue('');
  await seed.pressSequentially('42');
  await run(page);
  await expect(page).toHaveURL(/seed=42&/);
});

test('a key that was misused is X-rayed', async ({ page, demo }) => {
  await page.goto(`${demo.urls.app}/lab/other-amount?seed=4`);
  await run(page);
  await page.getByRole('link', { name: 'X-ray key A' }).click();
  await expect(page.getByText(/these fields differ: .*amountMinor/)).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Its life' })).toBeVisible();
  await expectAccessible(page);
});
