import { expect, type Login, test as ownBrowsers, typePassword } from '../fixtures.ts';

const test = ownBrowsers.extend<{ ownerOfBoth: Login }>({
  ownerOfBoth: async ({ demo }, use) => {
    const found = demo.tenants[0]?.people.at(-1);
    if (!found) throw new Error('The demo has no owner of both shops.');
    await use(found);
  },
});

test('links and exports of a page are about the shop that it shows, also after another was opened in another tab', async ({
  openPage,
  ownerOfBoth,
}) => {
  // Not the session that tests share, because this one opens the other shop.
  const page = await openPage();
  await typePassword(page, ownerOfBoth);
  await expect(page.getByRole('navigation', { name: 'Console' })).toBeVisible();
  await page.goto('/admin/payments');
  const shop = page.getByLabel('Shop').first().locator('option:checked');
  await expect(shop).toHaveText('Acme Coffee');
  const addressOf = async (name: string) =>
    (await page.getByRole('link', { name, exact: true }).getAttribute('href')) ?? '';
  const [members, exported] = [await addressOf('Members'), await addressOf('Export')];

  const other = await page.context().newPage();
  await other.goto('/admin');
  await other.getByLabel('Shop').first().selectOption({ label: 'Globex Stationery' });
  await expect(other.getByLabel('Shop').first().locator('option:checked')).toHaveText('Globex Stationery');

  const refused = await other.request.get(exported, { headers: { 'sec-fetch-site': 'same-origin' } });
  expect(refused.status()).toBe(412);
  expect(await refused.text()).toContain('another shop');

  await other.goto(members);
  await expect(other.getByRole('heading', { level: 1, name: 'Another shop is open' })).toBeVisible();
  await expect(other.getByText('Globex Stationery is open now')).toBeVisible();
  await other.getByRole('button', { name: 'Open Acme Coffee' }).click();
  await expect(other.getByText('The members of Acme Coffee')).toBeVisible();
});
