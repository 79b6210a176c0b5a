import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type BrowserContext, test as base, expect, type Page } from 'playwright/test';
import { type House, readyWithinMs, startHouse } from './running-app.ts';

export interface Demo {
  urls: { app: string; sandbox: string };
  tenants: {
    slug: string;
    operator: { email: string; password: string };
    people: { role: string; email: string; password: string }[];
    apiKey: string;
  }[];
}

export interface Charge {
  id: string;
  intent: string;
  status: 'succeeded' | 'failed' | 'refunded';
  amount: number;
  currency: string;
}

interface Fixtures {
  /** The provider's own books: the only witness these tests believe. */
  charges(reference: string): Promise<Charge[]>;
  shopper: Shopper;
  /** An operator of a tenant at their desk: a browser of their own, signed in. */
  signIn(slug: string): Promise<Page>;
  /** Holds the worker still, so that only the operator can settle something, until it is let go on. */
  stalledWorker: { resume(): void };
}

interface WorkerFixtures {
  house: House;
  demo: Demo;
}

export const test = base.extend<Fixtures, WorkerFixtures>({
  // Each of Playwright's workers has a house of its own, because tests hold processes of it still and kill them.
  house: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures a fixture needs from this pattern
    async ({}, use) => {
      // Less patience than usual, so that time-outs are worth waiting for.
      const house = await startHouse({ PROVIDER_TIMEOUT_MS: '2000', LEASE_MS: '6000' });
      await use(house);
      await house.stop();
    },
    { scope: 'worker', timeout: readyWithinMs },
  ],
  demo: [
    async ({ house }, use) =>
      use(JSON.parse(readFileSync(path.join(house.dataDirectory, 'demo.json'), 'utf8'))),
    { scope: 'worker' },
  ],
  baseURL: async ({ house }, use) => use(house.url),
  charges: async ({ demo }, use) => {
    await use(async (reference) => {
      const response = await fetch(
        `${demo.urls.sandbox}/_sandbox/charges?reference=${encodeURIComponent(reference)}`,
      );
      const { data } = (await response.json()) as { data: Charge[] };
      return data;
    });
  },
  stalledWorker: async ({ house }, use) => {
    const pid = house.pidOf('worker');
    process.kill(pid, 'SIGSTOP');
    const resume = () => void process.kill(pid, 'SIGCONT');
    await use({ resume });
    resume();
  },
  signIn: async ({ browser, demo }, use) => {
    const offices: BrowserContext[] = [];
    await use(async (slug) => {
      const operator = demo.tenants.find((tenant) => tenant.slug === slug)?.operator;
      if (!operator) throw new Error(`The demo has no tenant ${slug}.`);
      const office = await browser.newContext({ baseURL: demo.urls.app });
      offices.push(office);
      const desk = await office.newPage();
      await desk.goto('/admin');
      await desk.getByLabel(/e-mail/i).fill(operator.email);
      await desk.getByLabel(/password/i).fill(operator.password);
      await desk.getByRole('button', { name: /sign in/i }).click();
      await expect(desk.getByRole('navigation', { name: 'Console' })).toBeVisible();
      return desk;
    });
    await Promise.all(offices.map((office) => office.close()));
  },
  shopper: async ({ page, demo }, use) => {
    await use(new Shopper(page, demo));
  },
});

export { expect };

/** What a shopper does and sees, in the words of the page. */
export class Shopper {
  readonly page: Page;
  readonly #demo: Demo;

  constructor(page: Page, demo: Demo) {
    this.page = page;
    this.#demo = demo;
  }

  /** From the page of the shop's first product to the pay form, with the card chosen. Returns the order's number, the payment's reference. */
  async orderSomething(options: { card?: string; shop?: string; email?: string } = {}): Promise<string> {
    const shop = options.shop ?? 'acme';
    await this.page.goto(
      `${this.#demo.urls.app}/s/${shop}/${shop === 'globex' ? 'notebook' : 'yirgacheffe'}`,
    );
    await this.page.getByRole('button', { name: 'Buy now' }).click();
    await this.page.waitForURL(/\/pay\//);
    await this.page.getByLabel(/e-mail/i).fill(options.email ?? 'shopper@example.com');
    if (options.card) await this.chooseCard(options.card);
    await expect(this.payButton).toBeEnabled();
    return this.orderNumber();
  }

  async chooseCard(paymentMethod: string): Promise<void> {
    const radio = this.page.locator(`input[type=radio][value="${paymentMethod}"]`);
    if (!(await radio.isVisible())) await this.page.getByText('Break something').click();
    await radio.check({ force: true });
  }

  get payButton() {
    return this.page.getByRole('button', { name: /^Pay / });
  }

  get form() {
    return this.page.locator('form[data-state]');
  }

  get status() {
    return this.page.getByRole('status');
  }

  async expectReceipt(): Promise<void> {
    await this.page.waitForURL(/\/orders\//);
    await expect(this.page.getByRole('heading', { level: 1 })).toContainText(/paid/i);
  }

  /** With what comes a moment later: its number, and the provider's own books. After this nothing on it changes. */
  async expectWholeReceipt(): Promise<void> {
    await this.expectReceipt();
    await expect(this.page.getByText(/^No\. \d+$/)).toBeVisible();
    await expect(this.page.getByRole('heading', { name: /own books: 1 charge/ })).toBeVisible();
  }

  async orderNumber(): Promise<string> {
    const text = await this.page
      .getByText(/ACME-[0-9A-Z]{8}|GLOBEX-[0-9A-Z]{8}/)
      .first()
      .textContent();
    const number = /(ACME|GLOBEX)-[0-9A-Z]{8}/.exec(text ?? '')?.[0];
    if (!number) throw new Error('The page shows no order number.');
    return number;
  }
}
