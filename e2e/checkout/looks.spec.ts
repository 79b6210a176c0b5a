import type { Locator, Page } from 'playwright/test';
import { expect, test } from '../fixtures.ts';
import { expectWholeFocusRings } from '../focus-rings.ts';

const phone = { width: 390, height: 844 };
const desktop = { width: 1280, height: 900 };

/** Where the first visible letter of a part begins. */
function leftOf(part: Locator): Promise<number> {
  return part.first().evaluate((element) => {
    const range = document.createRange();
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      range.selectNodeContents(text);
      const { left, width } = range.getBoundingClientRect();
      if (width > 0 && text.textContent?.trim()) return Math.round(left);
    }
    throw new Error(`There are no letters in ${element.outerHTML}`);
  });
}

test('the header of the pay page and of the receipt begins where its content does, on a phone and on a desktop', async ({
  shopper,
  page,
}) => {
  const expectAligned = async () => {
    for (const size of [phone, desktop]) {
      await page.setViewportSize(size);
      const content = await leftOf(page.getByRole('heading', { level: 1 }));
      const mark = await page.getByRole('banner').locator('a [aria-hidden]').first().boundingBox();
      expect(mark?.x, `at ${size.width}`).toBe(content);
    }
  };
  await shopper.orderSomething();
  await expectAligned();
  await shopper.payButton.click();
  await shopper.expectReceipt();
  await expectAligned();
});

test('the space that is reserved for the payment’s status is no empty box: what is painted ends with its text', async ({
  shopper,
  page,
}) => {
  await shopper.orderSomething();
  for (const size of [phone, desktop]) {
    await page.setViewportSize(size);
    const { reserved, painted, text, paint } = await shopper.status.evaluate((status) => {
      const [space, box] = [status.parentElement, status.firstElementChild];
      if (!space || !box?.lastElementChild) throw new Error('The status has another structure.');
      return {
        reserved: space.getBoundingClientRect().height,
        painted: box.getBoundingClientRect().height,
        text: box.lastElementChild.getBoundingClientRect().height,
        paint: [space, status].map((element) => {
          const { backgroundColor, borderTopWidth, boxShadow } = getComputedStyle(element);
          return { backgroundColor, borderTopWidth, boxShadow };
        }),
      };
    });
    for (const one of paint) {
      expect(one).toEqual({
        backgroundColor: 'rgba(0, 0, 0, 0)',
        borderTopWidth: '0px',
        boxShadow: 'none',
      });
    }
    expect(painted, 'space is reserved below the text').toBeLessThan(reserved - 20);
    expect(painted - text, 'the box is its text and its padding').toBeLessThan(30);
  }
});

test('on paper every line of the receipt begins at the left edge of its heading', async ({
  shopper,
  page,
}) => {
  await shopper.orderSomething();
  await shopper.payButton.click();
  await shopper.expectWholeReceipt();
  // A5 and A4, and A4 in landscape.
  for (const width of [559, 794, 1123]) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ media: 'print' });
    const heading = await leftOf(page.getByRole('heading', { level: 1 }));
    const order = page.getByRole('region', { name: 'Order', exact: true });
    const lines = {
      shop: page.getByRole('banner').getByRole('link'),
      product: order.getByText('Yirgacheffe, 250 g'),
      total: order.getByText('Total'),
      fact: page.getByRole('term').filter({ hasText: /^Order$/ }),
      attempts: page.getByRole('heading', { name: 'One attempt, one charge' }),
      attempt: page.getByRole('region', { name: 'One attempt, one charge' }).getByRole('listitem'),
      record: page.getByRole('heading', { name: 'Bank record: 1 charge' }),
      charge: page.getByRole('region', { name: 'Bank record: 1 charge' }).getByRole('listitem'),
      contact: page.getByText('Questions about this order?'),
    };
    for (const [name, line] of Object.entries(lines))
      expect(await leftOf(line), `${name} at ${width}`).toBe(heading);
    // The receipt uses the paper's width, also where the screen has the demo beside it.
    const amount = await order.getByText('€14.50').first().boundingBox();
    expect(Math.round((amount?.x ?? 0) + (amount?.width ?? 0)), `amounts at ${width}`).toBe(width);
  }
});

test('a focus ring crosses no letters and is not cut off, on every page on the way to the receipt', async ({
  shopper,
  page,
}) => {
  const expectBoth = async () => {
    for (const size of [phone, desktop]) {
      await page.setViewportSize(size);
      await expectWholeFocusRings(page);
    }
  };
  await page.goto('/');
  await expectBoth();
  await page.goto('/s/acme');
  await expectBoth();
  await addToCart(page);
  await expectBoth();
  await page.goto('/s/acme/cart');
  await expectBoth();
  await shopper.orderSomething();
  await page.getByText('Break something').click();
  await expectBoth();
  await shopper.payButton.click();
  await shopper.expectWholeReceipt();
  await expectBoth();
});

async function addToCart(page: Page): Promise<void> {
  await page.goto('/s/acme/yirgacheffe');
  const add = page.getByRole('button', { name: /^Add.* Yirgacheffe, 250 g$/ });
  await expect(add).toHaveAttribute('aria-busy', 'false');
  await add.click();
  await expect(page.getByRole('link', { name: /^Cart/ })).toContainText('1');
}

test('where the system chooses the colours, buttons have a border, because their backgrounds are not painted', async ({
  shopper,
  page,
}) => {
  await page.emulateMedia({ forcedColors: 'active' });
  await shopper.orderSomething();
  await expect(shopper.payButton).toHaveCSS('border-top-width', '1px');
  await expect(page.getByRole('button', { name: 'New order like this one' })).toHaveCSS(
    'border-top-width',
    '1px',
  );
});
