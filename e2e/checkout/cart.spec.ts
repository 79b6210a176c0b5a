import type { Locator, Page } from 'playwright/test';
import { expectAccessible } from '../accessible.ts';
import { expect, test } from '../fixtures.ts';

const shop = '/s/acme';
const cartPage = '/s/acme/cart';

const cartLink = (page: Page) => page.getByRole('link', { name: /^Cart/ });
const addButton = (page: Page, name: string) =>
  page.getByRole('button', { name: new RegExp(`^Add.* ${name}$`) });
const quantityOf = (page: Page, name: string) => page.getByLabel(`Quantity of ${name}`);
const total = (page: Page) => page.getByRole('region', { name: 'Total' });
const checkout = (page: Page) => page.getByRole('button', { name: 'Checkout' });

const lines = (page: Page) => page.getByRole('list', { name: 'In your cart' });

/** The page is hydrated and no request is pending. Leaving the page earlier would cancel the request. */
const expectIdle = (part: Locator) => expect(part).toHaveAttribute('aria-busy', 'false');

async function expectAdded(page: Page, name: string, count: number): Promise<void> {
  await expect(cartLink(page)).toContainText(String(count));
  await expectIdle(addButton(page, name));
}

async function addFromShop(page: Page, ...names: string[]): Promise<void> {
  await page.goto(shop);
  for (const [index, name] of names.entries()) {
    await expectIdle(addButton(page, name));
    await addButton(page, name).click();
    await expectAdded(page, name, index + 1);
  }
}

/** From the cart to the pay form. Returns the order's number. */
async function checkOut(page: Page): Promise<string> {
  await checkout(page).click();
  await page.waitForURL(/\/pay\//);
  return /(ACME-[0-9A-Z]{8})/.exec((await page.locator('main').textContent()) ?? '')?.[1] ?? 'no number';
}

test('a cart is filled, changed and emptied, and its total follows', async ({ page }) => {
  await addFromShop(page, 'Yirgacheffe, 250 g', 'Workshop Mug');
  await page.getByRole('link', { name: 'Gooseneck Kettle' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Gooseneck Kettle' })).toBeVisible();
  await expectIdle(addButton(page, 'Gooseneck Kettle'));
  await page.getByLabel('Quantity').selectOption('2');
  await addButton(page, 'Gooseneck Kettle').click();
  await expectAdded(page, 'Gooseneck Kettle', 4);

  await cartLink(page).click();
  await expect(total(page)).toContainText('€170.50');
  await page.getByRole('button', { name: 'One more: Workshop Mug' }).click();
  await expect(quantityOf(page, 'Workshop Mug')).toHaveText('2');
  await page.getByRole('button', { name: 'One less: Gooseneck Kettle' }).click();
  await expect(total(page)).toContainText('€119.50');
  await expectIdle(lines(page));
  await page.reload();
  await expect(total(page)).toContainText('€119.50');

  await page.getByRole('button', { name: 'Remove Workshop Mug' }).click();
  await page.getByRole('button', { name: 'Remove Gooseneck Kettle' }).click();
  await page.getByRole('button', { name: 'Remove Yirgacheffe, 250 g' }).click();
  await expect(page.getByText('There is nothing in it yet.')).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
});

test('every press of One more counts, and a double click on Add adds one', async ({ page }) => {
  await page.goto(shop);
  await expectIdle(addButton(page, 'Workshop Mug'));
  await addButton(page, 'Workshop Mug').dblclick();
  await expectAdded(page, 'Workshop Mug', 1);
  await page.goto(cartPage);
  await expect(quantityOf(page, 'Workshop Mug')).toHaveText('1');
  await expectIdle(lines(page));
  const more = page.getByRole('button', { name: 'One more: Workshop Mug' });
  for (let press = 0; press < 4; press += 1) await more.click();
  await expect(quantityOf(page, 'Workshop Mug')).toHaveText('5');
  await expectIdle(lines(page));
  await page.reload();
  await expect(quantityOf(page, 'Workshop Mug')).toHaveText('5');
});

test('a cart makes one order in spite of a double click, going back and a second tab; a changed cart makes another', async ({
  page,
  context,
}) => {
  await addFromShop(page, 'Workshop Mug');
  await cartLink(page).click();
  await checkout(page).dblclick();
  await page.waitForURL(/\/pay\//);
  const order = page.url();

  await page.goBack();
  await expect(checkout(page)).toBeVisible();
  await checkOut(page);
  expect(page.url()).toBe(order);

  const tab = await context.newPage();
  await tab.goto(cartPage);
  await checkOut(tab);
  expect(tab.url()).toBe(order);

  await tab.goto(cartPage);
  await tab.getByRole('button', { name: 'One more: Workshop Mug' }).click();
  await expect(total(tab)).toContainText('€36.00');
  await expectIdle(lines(tab));
  await checkOut(tab);
  expect(tab.url()).not.toBe(order);
  await expect(tab.locator('main')).toContainText('€36.00');
  // The first tab still shows the first order, because an order never changes.
  await page.reload();
  await expect(page.locator('main')).toContainText('€18.00');
});

test('a second click on Checkout that is sent when the address is already the pay form’s leads there too', async ({
  page,
}) => {
  await addFromShop(page, 'Workshop Mug');
  await cartLink(page).click();
  const first = page.waitForRequest((request) => request.headers()['next-action'] !== undefined);
  await checkOut(page);
  const request = await first;
  const order = page.url();
  // Next sends an action to the address that the page has by then, which is that of the form once the first response is there.
  const { 'next-action': action = '', 'content-type': type = '', accept = '' } = request.headers();
  const led = await page.evaluate(
    async ({ headers, body }) => {
      const response = await fetch(location.href, { method: 'POST', headers, body });
      return response.headers.get('x-action-redirect');
    },
    { headers: { 'next-action': action, 'content-type': type, accept }, body: request.postData() ?? '' },
  );
  expect(led).toBe(`${new URL(order).pathname};push`);
  await page.goto(cartPage);
  await expect(quantityOf(page, 'Workshop Mug')).toHaveText('1');
  await checkOut(page);
  expect(page.url()).toBe(order);
});

test('products leave the cart when they are paid; Checkout in a stale tab leads to the receipt and charges nothing', async ({
  page,
  context,
  shopper,
  charges,
}) => {
  await addFromShop(page, 'Yirgacheffe, 250 g');
  const stale = await context.newPage();
  await stale.goto(cartPage);
  await expect(checkout(stale)).toBeVisible();

  await cartLink(page).click();
  const number = await checkOut(page);
  await stale.reload();
  await expect(cartLink(stale)).toContainText('1');
  await page.getByLabel(/e-mail/i).fill('shopper@example.com');
  await shopper.payButton.click();
  await shopper.expectReceipt();

  await checkout(stale).click();
  await expect(stale.getByRole('heading', { level: 1 })).toContainText('Paid once');
  expect(await charges(number)).toMatchObject([{ status: 'succeeded', amount: 1450 }]);
  await stale.goto(cartPage);
  await expect(stale.getByText('What you paid for has left the cart.')).toBeVisible();
  await expect(stale.getByText('There is nothing in it yet.')).toBeVisible();

  // The same product once more is a new order, from a new cart.
  await addFromShop(stale, 'Yirgacheffe, 250 g');
  await stale.goto(cartPage);
  expect(await checkOut(stale)).not.toBe(number);
});

test('the pay page shows pictures of what is bought, the brands of cards, and the way back to the cart', async ({
  page,
}) => {
  await addFromShop(page, 'Yirgacheffe, 250 g', 'Workshop Mug');
  await cartLink(page).click();
  await checkOut(page);
  const bought = page.getByRole('term').filter({ hasText: /Yirgacheffe|Workshop Mug/ });
  await expect(bought).toHaveCount(2);
  for (const one of await bought.all()) await expect(one.locator('svg')).toBeVisible();
  for (const brand of ['Visa', 'Mastercard', 'American Express']) {
    await expect(
      page.locator('label').filter({ hasText: brand }).locator('svg[viewBox="0 0 38 24"]'),
    ).toBeVisible();
  }
  await page.getByRole('link', { name: 'Back to the cart' }).click();
  await expect(page).toHaveURL(/\/s\/acme\/cart$/);
  await expect(lines(page)).toContainText('Workshop Mug');
});

test('offline, the cart says that it waits, nothing moves, and what was changed is sent once online', async ({
  page,
  context,
}) => {
  await addFromShop(page, 'Yirgacheffe, 250 g');
  await cartLink(page).click();
  await expectIdle(lines(page));
  const place = await checkout(page).boundingBox();
  await context.setOffline(true);
  await page.getByRole('button', { name: 'One more: Yirgacheffe, 250 g' }).click();
  const message = page.getByText('There is no connection. It goes on as soon as the connection is back');
  await expect(message).toBeVisible();
  expect(await checkout(page).boundingBox()).toEqual(place);
  await expectAccessible(page);
  await context.setOffline(false);
  await expect(message).toHaveCount(0);
  await expectIdle(lines(page));
  await page.reload();
  await expect(quantityOf(page, 'Yirgacheffe, 250 g')).toHaveText('2');
});

test('of a forged cart cookie only the valid parts are used, and it cannot set prices', async ({
  page,
  context,
  demo,
}) => {
  const { hostname: domain } = new URL(demo.urls.app);
  const write = (value: string) => context.addCookies([{ name: 'cart.acme', value, domain, path: '/' }]);
  await write('me~mug.5000~tea.2~kettle.x~<b>.1~dripper.-1~mug.price.1');
  await page.goto(cartPage);
  await expect(quantityOf(page, 'Workshop Mug')).toHaveText('99');
  await expect(quantityOf(page, 'Gooseneck Kettle')).toHaveText('1');
  await expect(page.getByText('One thing in your cart is not sold here any more.')).toBeVisible();
  await page.getByRole('button', { name: 'Remove it from the cart' }).click();
  await expect(page.getByText('not sold here any more')).toHaveCount(0);
  await expect(total(page)).toContainText('€1,851.00');

  const [cookie] = (await context.cookies(`${demo.urls.app}/s/acme`)).filter(
    ({ name }) => name === 'cart.acme',
  );
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/' });
  await write('%00%ff~~~');
  await page.goto(cartPage);
  await expect(page.getByText('There is nothing in it yet.')).toBeVisible();
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('a cart is filled, changed and checked out by plain forms', async ({ page }) => {
    await page.goto(`${shop}/kettle`);
    await page.getByLabel('Quantity').selectOption('2');
    await addButton(page, 'Gooseneck Kettle').click();
    await expect(page).toHaveURL(/\/s\/acme\/cart$/);
    await expect(quantityOf(page, 'Gooseneck Kettle')).toHaveText('2');
    await page.reload();
    await expect(quantityOf(page, 'Gooseneck Kettle')).toHaveText('2');

    await page.goto(shop);
    await addButton(page, 'Workshop Mug').click();
    await page.getByRole('button', { name: 'One more: Workshop Mug' }).click();
    await page.getByRole('button', { name: 'Remove Gooseneck Kettle' }).click();
    await expect(total(page)).toContainText('€36.00');
    await checkOut(page);
    await expect(page.locator('main')).toContainText('€36.00');
    // Chromium without JavaScript still parses pages as if it were on, and does not render <noscript>.
    expect(await page.content()).toContain('Paying here needs JavaScript');

    const order = page.url();
    await page.goto(cartPage);
    await checkOut(page);
    expect(page.url()).toBe(order);
  });

  test('an order is bought at once, viewed and cancelled by plain forms', async ({ page }) => {
    await page.goto(`${shop}/mug`);
    await page.getByRole('button', { name: 'Buy now' }).click();
    await page.waitForURL(/\/pay\//);
    await page.goto(page.url().replace('/pay/', '/orders/'));
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Not paid yet');
    await page.getByText('Cancel this order').click();
    await page.getByRole('button', { name: 'Yes, cancel it' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Cancelled');
  });
});
