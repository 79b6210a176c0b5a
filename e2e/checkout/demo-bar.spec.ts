import type { Page } from 'playwright/test';
import { expectAccessible } from '../accessible.ts';
import { expect, type Shopper, test } from '../fixtures.ts';
import { recordKeys } from './tabs.ts';

const bar = (page: Page) => page.locator('[data-demo-bar]');
const reading = (page: Page, name: string) => bar(page).locator(`[data-reading=${name}]`);
const journeys = (page: Page, kind: string) => bar(page).locator(`li[data-journey=${kind}]`);

async function run(shopper: Shopper, name: string): Promise<void> {
  await bar(shopper.page).getByRole('button', { name, exact: true }).click();
}

/** The demo bar on the receipt shows how many requests were sent, one key and one charge. */
async function expectSummary(
  shopper: Shopper,
  keys: readonly string[],
  text: string | RegExp,
): Promise<void> {
  const { page } = shopper;
  await shopper.expectReceipt();
  await expect(bar(page)).toContainText(text);
  await expect(reading(page, 'sent')).toHaveText(String(keys.length));
  await expect(reading(page, 'charged')).toHaveText('1');
  await expect(reading(page, 'key')).toHaveText(keys[0] ?? 'none');
  await expect(reading(page, 'record')).toContainText('completed');
  expect(new Set(keys).size).toBe(1);
}

test('double-click for me: two clicks, one request, one charge', async ({ shopper, charges }) => {
  const reference = await shopper.orderSomething();
  const keys = recordKeys(shopper.page.context());
  await run(shopper, 'Double-click for me');
  await expectSummary(shopper, keys, 'One request sent, one charge.');
  await expect(reading(shopper.page, 'clicks')).toHaveText('2');
  expect(keys).toHaveLength(1);
  expect(await charges(reference)).toMatchObject([{ status: 'succeeded', amount: 1450 }]);
});

test('send it twice at once: the same request is sent twice, and one of them charges', async ({
  shopper,
  charges,
}) => {
  const reference = await shopper.orderSomething();
  const keys = recordKeys(shopper.page.context());
  const bodies: (string | null)[] = [];
  shopper.page.on('request', (request) => {
    if (request.url().includes('payments.pay')) bodies.push(request.postData());
  });
  await run(shopper, 'Send it twice at once');
  await expectSummary(shopper, keys, /requests sent, one charge\./);
  expect(keys.length).toBeGreaterThanOrEqual(2);
  expect(bodies[1]).toBe(bodies[0]);
  await expect(bar(shopper.page)).toContainText('(the twin)');
  expect(await charges(reference)).toHaveLength(1);
});

test('drop the network after sending: the response is lost, the repeat gets the stored one', async ({
  shopper,
  charges,
}) => {
  const { page } = shopper;
  const reference = await shopper.orderSomething();
  const keys = recordKeys(page.context());
  const cut: string[] = [];
  page.on('requestfailed', (request) => {
    if (request.url().includes('payments.pay')) cut.push(request.failure()?.errorText ?? '');
  });
  await run(shopper, 'Drop the network after sending');
  await expect(bar(page)).toContainText('The bank has taken €14.50, and this page cannot know.');
  await expect(shopper.status).toContainText(/not be charged twice/i);
  expect(keys).toHaveLength(1);
  expect(cut).toEqual(['net::ERR_ABORTED']);
  await expect(reading(page, 'sent')).toHaveText('1');
  expect(await charges(reference)).toHaveLength(1);

  await expectSummary(shopper, keys, 'Two requests sent, one charge.');
  await expect(journeys(page, 'lost')).toContainText('its answer was lost');
  await expect(journeys(page, 'back')).toContainText('the stored answer');
  expect(await charges(reference)).toHaveLength(1);
});

test('drop it before sending: nothing is sent, then one request pays', async ({ shopper, charges }) => {
  const { page } = shopper;
  const reference = await shopper.orderSomething();
  const keys = recordKeys(page.context());
  await run(shopper, 'Drop it before sending');
  await expect(bar(page)).toContainText('Nothing gets out.');
  await expect(journeys(page, 'stopped').nth(1)).toBeVisible();
  expect(keys).toEqual([]);
  await expect(reading(page, 'sent')).toHaveText('0');
  expect(await charges(reference)).toEqual([]);

  await expectSummary(shopper, keys, 'One request sent, one charge.');
  expect(keys).toHaveLength(1);
  expect(await charges(reference)).toHaveLength(1);
});

test('silence the provider: the payment is charged and unknown, never shown as failed, until the outcome arrives', async ({
  shopper,
  charges,
}) => {
  const { page } = shopper;
  const reference = await shopper.orderSomething();
  const keys = recordKeys(page.context());
  await run(shopper, 'Silence the provider');
  await expect(bar(page)).toContainText('The bank has taken €14.50 and says nothing.');
  await expect(shopper.status).toContainText('Your payment is being checked with the bank.');
  await expect(reading(page, 'record')).toContainText('unknown');
  await expect(reading(page, 'record')).toContainText('confirm_sent');
  await expect(reading(page, 'charged')).toHaveText('1');
  expect(await charges(reference)).toHaveLength(1);

  await page.waitForURL(/\/orders\//);
  await expectSummary(shopper, keys, 'One request sent, one charge.');
  expect(keys).toHaveLength(1);
  expect(await charges(reference)).toHaveLength(1);
});

test('a decline, however fast it comes, is what the bar shows in the end', async ({ shopper, charges }) => {
  const { page } = shopper;
  const reference = await shopper.orderSomething({ card: 'pm_card_visa_chargeDeclined' });
  await shopper.payButton.click();
  await expect(shopper.form).toHaveAttribute('data-state', 'done');
  await expect(bar(page)).toContainText('Declined: nothing was charged.');
  await expect(reading(page, 'record')).toContainText('completed');
  await expect(reading(page, 'charged')).toHaveText('0');
  expect((await charges(reference)).filter(({ status }) => status === 'succeeded')).toEqual([]);
});

test('a reload keeps the recorded requests, and a new order starts without any', async ({
  shopper,
  charges,
}) => {
  const { page } = shopper;
  const first = await shopper.orderSomething();
  const keys = recordKeys(page.context());
  await shopper.payButton.click();
  await shopper.expectReceipt();
  await page.reload();
  await expectSummary(shopper, keys, 'One request sent, one charge.');

  await page.getByRole('button', { name: 'New order like this one' }).click();
  await page.waitForURL(/\/pay\//);
  await expect(bar(page)).toContainText('Nothing has been sent yet.');
  await expect(reading(page, 'sent')).toHaveText('0');
  const second = await shopper.orderNumber();
  expect(second).not.toBe(first);
  expect(await charges(second)).toEqual([]);
});

test('on a phone the form’s status and the figure are on the screen together while a mishap runs', async ({
  shopper,
}) => {
  const { page } = shopper;
  await page.setViewportSize({ width: 390, height: 844 });
  await shopper.orderSomething();
  await page.getByRole('button', { name: 'Drop it before sending' }).click();
  await expect(shopper.status.first()).toContainText('No answer yet');
  await expect(shopper.status.first()).toBeInViewport({ ratio: 1 });
  await expect(page.locator('[data-figure-below-form]')).toBeInViewport({ ratio: 1 });
  const [status, figure] = await Promise.all(
    [shopper.status.first(), page.locator('[data-figure-below-form]')].map((one) => one.boundingBox()),
  );
  expect((status?.y ?? 0) + (status?.height ?? 0)).toBeLessThanOrEqual(figure?.y ?? 0);
  await shopper.expectReceipt();
});

for (const [device, width, height] of [
  ['a phone', 390, 844],
  ['a desktop', 1280, 900],
] as const) {
  test(`on ${device} the demo bar is accessible in light and dark, moves nothing and does not overflow`, async ({
    shopper,
    context,
  }) => {
    const { page } = shopper;
    await page.setViewportSize({ width, height });
    await shopper.orderSomething();
    await expectAccessibleInBoth(page);
    const position = await submitPosition(page);

    // The repeat is held, so that the page does not change while it is checked.
    const checked = Promise.withResolvers<void>();
    let sent = 0;
    await context.route('**/api/trpc/payments.pay*', async (route) => {
      sent += 1;
      if (sent > 1) await checked.promise;
      await route.fallback();
    });
    await run(shopper, 'Drop the network after sending');
    await expect(bar(page)).toContainText('arrived; its answer was lost');
    await expectAccessibleInBoth(page);
    expect(await submitPosition(page)).toEqual(position);

    checked.resolve();
    // axe must not check a page that is still changing.
    await shopper.expectWholeReceipt();
    await expect(bar(page)).toContainText('Two requests sent, one charge.');
    await expectAccessibleInBoth(page);
  });
}

/** Relative to the page, not to the scrolled viewport. */
function submitPosition(page: Page): Promise<{ x: number; y: number }> {
  return page.locator('form[data-state] button[type=submit]').evaluate((button) => {
    const { x, y } = button.getBoundingClientRect();
    return { x: x + scrollX, y: y + scrollY };
  });
}

async function expectAccessibleInBoth(page: Page): Promise<void> {
  const [width, available] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  expect(width).toBeLessThanOrEqual(available ?? 0);
  await page.emulateMedia({ colorScheme: 'light' });
  await expectAccessible(page);
  // It differs in colours alone.
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page, { rules: ['color-contrast'] });
}
