import { expectAccessible } from '../accessible.ts';
import { inDatabase } from '../admin/database.ts';
import { expect, placeOrder, test } from '../fixtures.ts';

const long = 'Kaffeebohnenröstereieinkaufsgenossenschaftsvorstandssitzungs';

test('names of sixty letters without a space fit on the smallest phone, on every page of the shop', async ({
  app,
  page,
  shopper,
}) => {
  expect(long).toHaveLength(60);
  const names = await inDatabase(app, async (client) => {
    const { rows } = await client.query(
      `SELECT slug, name FROM product WHERE slug IN ('yirgacheffe', 'mug')`,
    );
    await client.query(`UPDATE product SET name = $1 WHERE slug = 'yirgacheffe'`, [long]);
    await client.query(`UPDATE organization SET name = $1 WHERE slug = 'acme'`, [long]);
    return rows as { slug: string; name: string }[];
  });
  const expectFits = async (path: string) => {
    await page.goto(path);
    await expect(page.getByText(long).first()).toBeVisible();
    const { content, screen } = await page.evaluate(() => ({
      content: document.documentElement.scrollWidth,
      screen: document.documentElement.clientWidth,
    }));
    expect.soft(content, path).toBe(screen);
    const cut = await page.getByText(long).evaluateAll((elements) =>
      elements
        // Texts for screen readers only are one pixel wide.
        .filter((element) => element.checkVisibility() && element.getBoundingClientRect().width > 1)
        .map((element) => {
          const range = document.createRange();
          range.selectNodeContents(element);
          return Math.round(range.getBoundingClientRect().right);
        })
        .filter((right) => right > document.documentElement.clientWidth),
    );
    expect.soft(cut, `${path} cuts names off`).toEqual([]);
    await expectAccessible(page);
  };
  try {
    await page.setViewportSize({ width: 320, height: 640 });
    for (const path of ['/', '/s/acme', '/s/acme/yirgacheffe']) await expectFits(path);
    await page.getByRole('button', { name: 'Add to cart' }).first().click();
    await expect(page.getByText('is in your cart.')).toBeAttached();
    await expectFits('/s/acme/cart');
    const pay = await placeOrder(page, app.url, 'acme');
    await expectFits(pay);
    await expectFits(pay.replace('/pay/', '/orders/'));
    await page.goto(pay);
    await page.getByLabel(/e-mail/i).fill(`${'a'.repeat(60)}@example.com`);
    await shopper.payButton.click();
    await shopper.expectReceipt();
    await expectFits(pay.replace('/pay/', '/orders/'));
  } finally {
    await inDatabase(app, async (client) => {
      for (const { slug, name } of names)
        await client.query('UPDATE product SET name = $2 WHERE slug = $1', [slug, name]);
      await client.query(`UPDATE organization SET name = 'Acme Coffee' WHERE slug = 'acme'`);
    });
  }
});
