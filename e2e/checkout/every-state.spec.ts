import type { Route } from 'playwright/test';
import { expectAccessible } from '../accessible.ts';
import { expect, type Shopper, test } from '../fixtures.ts';
import { ignoreClosedPage } from './tabs.ts';

const operationId = '0123abcd-0000-4000-8000-000000000000';
const payment = { paymentId: operationId, operationId, amountMinor: 1450, currency: 'eur', reference: 'x' };

function problem(code: string, status: number, more: object = {}) {
  const details = { code, title: '', action: 'Do this.', retryAfterSeconds: 1, extensions: {}, ...more };
  const data = { code: 'CONFLICT', httpStatus: status, problem: details };
  return { status, json: { error: { message: 'Because.', code: -32009, data } } };
}

/** A server with scripted responses. `none` sends no response, `lost` resets the connection. */
async function scriptServer({ page }: Shopper) {
  const next = { pay: 'none' as object | 'none' | 'lost', status: 'none' as object | 'none' };
  const hanging: Route[] = [];
  await page.route('**/api/trpc/payments.pay*', (route) => {
    if (next.pay === 'none') return void hanging.push(route);
    return next.pay === 'lost' ? route.abort('connectionreset') : route.fulfill(next.pay);
  });
  await page.route('**/api/trpc/payments.status*', (route) => {
    if (next.status === 'none') return undefined;
    return route.fulfill({ json: [{ result: { data: next.status } }] });
  });
  await page.route('**/api/trpc/payments.watch*', (route) => route.abort());
  const cut = () =>
    Promise.all(hanging.splice(0).map((route) => ignoreClosedPage(route.abort('connectionreset'))));
  return { next, cut };
}

async function expectState(shopper: Shopper, text: string | RegExp, button: string): Promise<void> {
  await expect(shopper.status).toContainText(text);
  await expect(shopper.page.getByRole('button', { name: button, exact: true })).toBeVisible();
  await expectAccessible(shopper.page);
}

const press = (shopper: Shopper, name: string) =>
  shopper.page.getByRole('button', { name, exact: true }).click();

test('before the attempt has ended, each state shows what is known and what the button does, and is accessible', async ({
  shopper,
  charges,
  context,
  page,
}) => {
  const reference = await shopper.orderSomething();
  const { next, cut } = await scriptServer(shopper);
  await expectState(shopper, 'You will be charged once.', 'Pay €14.50');

  await page.getByLabel(/e-mail/i).fill('');
  await press(shopper, 'Pay €14.50');
  await expect(page.getByRole('link', { name: 'Enter an e-mail address for the receipt' })).toBeVisible();
  await expectState(shopper, 'You will be charged once.', 'Pay €14.50');

  await page.getByLabel(/e-mail/i).fill('shopper@example.com');
  await press(shopper, 'Pay €14.50');
  await expectState(shopper, 'Paying…', 'Paying…');

  next.pay = 'lost';
  await cut();
  await expectState(shopper, /No answer yet.*Try \d of 8/, 'Try again now');
  await context.setOffline(true);
  await expectState(shopper, /You are offline\..*goes on by itself/, 'Try again now');
  await context.setOffline(false);
  await expect(async () => {
    if (await page.getByText('No answer after 8 tries.').isVisible()) return;
    await page.getByRole('button', { name: 'Try again now' }).click({ timeout: 1_000 });
    expect(false, 'not yet').toBe(true);
  }).toPass({ intervals: [50] });
  const key = (await shopper.form.getAttribute('data-idempotency-key')) ?? '';
  await expectState(shopper, `Reference to quote: ${reference} · ${key.slice(0, 8)}`, 'Try again');

  next.pay = problem('idempotency_store_unavailable', 503);
  await press(shopper, 'Try again');
  await expectState(shopper, 'The shop cannot take payments at this moment.', 'Paying…');
  next.pay = problem('idempotency_key_in_progress', 409);
  await expectState(shopper, 'Your payment is already being processed.', 'Paying…');
  next.pay = { json: { result: { data: { status: 'pending', code: 'operation_unknown', operationId } } } };
  await expectState(shopper, /being checked with the bank.*please don’t pay again/i, 'Check now');
  await expect(shopper.status).toContainText(`Reference to quote: ${reference} · ${key.slice(0, 8)}`);

  // After a reload the page reads the status first, and sends nothing before the response.
  await page.reload();
  await expectState(shopper, 'Finding out what became of your earlier payment…', 'Pay €14.50');
  next.status = { status: 'unknown', operationId, response: null, actionUrl: 'https://bank.example' };
  await page.reload();
  await expectState(shopper, 'Your bank wants to make sure it is you.', 'Go to your bank');
  await expect(shopper.form).toHaveAttribute('data-idempotency-key', key);
  expect(await charges(reference)).toEqual([]);
});

test('after the attempt has ended, each state says what to do next, and is accessible', async ({
  shopper,
  charges,
}) => {
  const reference = await shopper.orderSomething();
  const { next } = await scriptServer(shopper);
  const declined = { ...payment, status: 'declined', declineCode: 'expired_card' };
  next.pay = { json: { result: { data: declined } } };
  await press(shopper, 'Pay €14.50');
  await expectState(shopper, /this card has expired.*Nothing was charged.*still valid/, 'Pay €14.50');

  const exists = (paymentStatus: string) =>
    problem('payment_exists_for_reference', 409, { extensions: { paymentStatus } });
  next.pay = exists('pending');
  await press(shopper, 'Pay €14.50');
  // The page reads the status again, and the other payment has ended.
  await expectState(shopper, 'The other payment ended without a charge.', 'Pay €14.50');
  next.pay = problem('idempotency_key_expired', 410);
  await press(shopper, 'Pay €14.50');
  const expired = (await shopper.form.getAttribute('data-idempotency-key')) ?? '';
  await expectState(shopper, 'Nothing was charged just now.', 'Pay €14.50');
  next.pay = problem('order_cancelled', 409);
  await press(shopper, 'Pay €14.50');
  await expectState(shopper, 'This order was cancelled.', 'See the order');
  await expect(shopper.form).not.toHaveAttribute('data-idempotency-key', expired);
  next.status = { status: 'none' };
  await shopper.page.reload();
  await expect(shopper.form).toHaveAttribute('data-state', 'ready');
  next.pay = exists('succeeded');
  await press(shopper, 'Pay €14.50');
  await expectState(shopper, 'This order is already paid.', 'Open the receipt');
  expect(await charges(reference)).toEqual([]);
});

for (const [device, viewport] of [
  ['a phone', { width: 390, height: 844 }],
  ['a desktop', { width: 1280, height: 900 }],
] as const) {
  test(`on ${device} there is no layout shift from the load until the order is paid`, async ({
    shopper,
    charges,
    page,
  }) => {
    await page.setViewportSize(viewport);
    const reference = await shopper.orderSomething({ card: 'pm_fault_processing' });
    await page.addInitScript(() => {
      sessionStorage.setItem('shift', '0');
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as (PerformanceEntry & {
          value: number;
          hadRecentInput: boolean;
        })[]) {
          if (entry.hadRecentInput || !location.pathname.startsWith('/pay')) continue;
          sessionStorage.setItem('shift', String(Number(sessionStorage.getItem('shift')) + entry.value));
        }
      }).observe({ type: 'layout-shift', buffered: true });
    });
    await page.reload();
    await page.getByLabel(/e-mail/i).fill('shopper@example.com');
    await shopper.chooseCard('pm_fault_processing');
    let lost = 0;
    await page.route('**/api/trpc/payments.pay*', async (route) => {
      lost += 1;
      return lost > 2 ? route.continue() : route.abort('connectionreset');
    });
    await shopper.payButton.click();
    await expect(shopper.status).toContainText('No answer yet.');
    await expect(shopper.status).toContainText('being checked with the bank');
    await shopper.expectReceipt();
    const shift = Number(await page.evaluate(() => sessionStorage.getItem('shift')));
    expect(shift).toBeLessThan(0.02);
    expect(await charges(reference)).toHaveLength(1);
  });
}
