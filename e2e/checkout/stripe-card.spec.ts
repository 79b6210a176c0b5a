import type { Page, Request } from 'playwright/test';
import { expect, placeOrder, test } from '../fixtures.ts';
import { type RunningApp, readyWithinMs, startApp } from '../running-app.ts';
import { fakeStripe } from './fake-stripe.ts';

const cardNumber = '4242424242424242';
/** A second installation, configured for Stripe with keys that do not exist. */
let app: RunningApp;

test.beforeAll(async () => {
  test.setTimeout(readyWithinMs);
  app = await startApp({
    DEMO_DATA: 'true',
    STRIPE_SECRET_KEY: 'sk_test_x',
    STRIPE_WEBHOOK_SECRET: 'whsec_x',
    STRIPE_PUBLISHABLE_KEY: 'pk_test_x',
  });
});
test.afterAll(async () => {
  await app?.stop();
});

async function openPayPage(page: Page): Promise<void> {
  await page.goto(await placeOrder(page, app.url, 'acme'));
  await page.getByLabel(/e-mail/i).fill('shopper@example.com');
}

const form = (page: Page) => page.locator('form[data-state]');
const cardField = (page: Page) => page.getByLabel('Card number');
/** The page shows that it is loading until Stripe's fields are ready. */
async function expectCardForm(page: Page): Promise<void> {
  await expect(cardField(page)).toBeVisible();
  await expect(page.getByLabel('Loading the card form')).toHaveCount(0);
}
const payButton = (page: Page) => page.getByRole('button', { name: /^Pay / });

test('the card number goes to Stripe only, we get the payment method, and a reload does not ask for it again', async ({
  page,
  context,
}) => {
  const stripe = await fakeStripe(context);
  const ours: Request[] = [];
  page.on('request', (request) => {
    if (request.url().startsWith(app.url)) ours.push(request);
  });
  const paid: { key: string | undefined; body: string }[] = [];
  // Scripted, because this test is about what is sent and how often, not about the outcome of the payment.
  const responses: ('lost' | 'declined')[] = ['declined'];
  await context.route('**/api/trpc/payments.pay*', (route) => {
    const request = route.request();
    paid.push({ key: request.headers()['idempotency-key'], body: request.postData() ?? '' });
    return responses.shift() === 'declined'
      ? route.fulfill({ json: declined })
      : route.abort('connectionreset');
  });
  const refused: string[] = [];
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) refused.push(message.text());
  });

  await openPayPage(page);
  await expectCardForm(page);
  await payButton(page).click();
  await expect(page.getByRole('link', { name: 'Your card number is incomplete' })).toBeVisible();
  expect(paid).toEqual([]);

  await cardField(page).fill(cardNumber);
  await payButton(page).click();
  await expect(form(page)).toHaveAttribute('data-state', 'done');
  await expect(page.getByRole('status')).toContainText('Nothing was charged.');

  // A decline is final: the fields are still there, and paying again uses a new payment method and a new key.
  await payButton(page).click();
  await expect(page.getByRole('status')).toContainText(/not be charged twice/i);
  await page.reload();
  await expect(page.getByText('The card you entered')).toBeVisible();
  await expect(cardField(page)).toHaveCount(0);
  await expect(form(page)).toHaveAttribute('data-state', 'ready');
  await payButton(page).click();
  await expect(page.getByRole('status')).toContainText(/not be charged twice/i);

  expect(stripe.scripts[0]).toMatch(/^https:\/\/js\.stripe\.com\/.*stripe\.js/);
  expect(stripe.numbers).toEqual([cardNumber, cardNumber]);
  const methods = paid.map(({ body }) => /"paymentMethod":"(\w+)"/.exec(body)?.[1]);
  expect(methods[0]).toBe('pm_fake1');
  expect(new Set(methods.slice(1))).toEqual(new Set(['pm_fake2']));
  expect(paid[1]?.key).not.toBe(paid[0]?.key);
  expect(new Set(paid.slice(1).map(({ key }) => key)).size).toBe(1);
  for (const request of ours) {
    expect(`${request.url()} ${request.postData() ?? ''}`).not.toContain(cardNumber);
  }
  expect(refused).toEqual([]);
});

test('Stripe’s form gets amount and currency and no intent, and only creates a payment method', async ({
  page,
  context,
}) => {
  await fakeStripe(context);
  await openPayPage(page);
  await expect(cardField(page)).toBeVisible();
  const options = await page.evaluate(() => (window as unknown as { stripeOptions: unknown }).stripeOptions);
  expect(options).toMatchObject({
    publishableKey: 'pk_test_x',
    options: {
      mode: 'payment',
      amount: 1450,
      currency: 'eur',
      paymentMethodCreation: 'manual',
      allowedPaymentMethodTypes: ['card', 'link'],
    },
    // Their sheets open when the payment method is made, before the attempt begins.
    element: { wallets: { applePay: 'auto', googlePay: 'auto', link: 'auto' } },
  });
});

test('a card form that fails to load says so, and loads on request', async ({ page, context }) => {
  let blocked = true;
  await fakeStripe(context);
  await context.route('https://js.stripe.com/**', (route) => (blocked ? route.abort() : route.fallback()));
  await openPayPage(page);
  await expect(page.getByText('The card form did not come.')).toBeVisible();
  blocked = false;
  await page.getByRole('button', { name: 'Load it again' }).click();
  await expect(cardField(page)).toBeVisible();
});

test('only a shop that is configured for Stripe loads Stripe’s code', async ({ page, context, shopper }) => {
  await fakeStripe(context);
  const scripts: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/_next/') && request.resourceType() === 'script') scripts.push(request.url());
  });
  const ofStripe = async () => {
    const texts = await Promise.all(
      scripts.splice(0).map(async (url) => (await page.request.get(url)).text()),
    );
    expect(texts.length).toBeGreaterThan(0);
    return texts.filter((text) => text.includes('js.stripe.com')).length;
  };
  await shopper.orderSomething();
  expect(await ofStripe()).toBe(0);
  await openPayPage(page);
  await expect(cardField(page)).toBeVisible();
  expect(await ofStripe()).toBeGreaterThan(0);
});

const declined = {
  result: {
    data: {
      paymentId: '00000000-0000-4000-8000-000000000001',
      operationId: '00000000-0000-4000-8000-000000000002',
      status: 'declined',
      amountMinor: 1450,
      currency: 'eur',
      reference: 'ACME-1',
      declineCode: 'generic_decline',
    },
  },
};
