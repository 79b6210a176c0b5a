import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type BrowserContext, test as base, expect, type Page } from 'playwright/test';
import { KeptPages } from './kept-pages.ts';
import { type RunningApp, readyWithinMs, startApp } from './running-app.ts';

export interface Login {
  readonly email: string;
  readonly password: string;
}

export interface Demo {
  urls: { app: string; sandbox: string };
  tenants: {
    slug: string;
    operator: Login;
    people: (Login & { role: string })[];
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
  /** Charges in the provider's own ledger, which these tests count. */
  charges(reference: string): Promise<Charge[]>;
  shopper: Shopper;
  /** A page in a browser context of its own, as if it were new. */
  openPage(): Promise<Page>;
  /** The same for a person who has signed in. It has not opened an address yet. */
  openAs(login: Login): Promise<Page>;
  /** The same for an operator of a tenant. */
  signIn(slug: string): Promise<Page>;
  /** Suspends the worker, so that only the operator can resolve something, until it is resumed. */
  stalledWorker: { resume(): void };
}

interface WorkerFixtures {
  app: RunningApp;
  demo: Demo;
  keptPages: KeptPages;
  /** Cookies of the people who have signed in, by their e-mail address. Signing in takes seconds, and most tests are not about it. */
  sessions: Map<string, Cookies>;
}

type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>;

export const test = base.extend<Fixtures, WorkerFixtures>({
  // Each of Playwright's workers has an installation of its own, because tests suspend and kill its processes.
  app: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures a fixture needs from this pattern
    async ({}, use) => {
      // Shorter timeouts than the defaults, so that tests can wait for them.
      const app = await startApp({ PROVIDER_TIMEOUT_MS: '2000', LEASE_MS: '6000' });
      await use(app);
      await app.stop();
    },
    { scope: 'worker', timeout: readyWithinMs },
  ],
  demo: [
    async ({ app }, use) => use(JSON.parse(readFileSync(path.join(app.dataDirectory, 'demo.json'), 'utf8'))),
    { scope: 'worker' },
  ],
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures a fixture needs from this pattern
  sessions: [async ({}, use) => use(new Map()), { scope: 'worker' }],
  keptPages: [async ({ browser, app }, use) => use(new KeptPages(browser, app.url)), { scope: 'worker' }],
  baseURL: async ({ app }, use) => use(app.url),
  openPage: async ({ keptPages, contextOptions }, use) => {
    const taken: Page[] = [];
    await use(async () => {
      const page = await keptPages.take(contextOptions);
      taken.push(page);
      return page;
    });
    await Promise.all(taken.map((page) => keptPages.giveBack(page, contextOptions)));
  },
  // Of a test’s options only `contextOptions` and `javaScriptEnabled` count: one that needs another opens a context of its own.
  page: async ({ openPage, browser, javaScriptEnabled }, use) => {
    if (javaScriptEnabled) return use(await openPage());
    const context = await browser.newContext();
    await use(await context.newPage());
    await context.close();
  },
  context: async ({ page }, use) => use(page.context()),
  charges: async ({ demo }, use) => {
    await use(async (reference) => {
      const response = await fetch(
        `${demo.urls.sandbox}/_sandbox/charges?reference=${encodeURIComponent(reference)}`,
      );
      const { data } = (await response.json()) as { data: Charge[] };
      return data;
    });
  },
  stalledWorker: async ({ app }, use) => {
    const pid = app.pidOf('worker');
    process.kill(pid, 'SIGSTOP');
    const resume = () => void process.kill(pid, 'SIGCONT');
    await use({ resume });
    resume();
  },
  openAs: async ({ openPage, sessions }, use) => {
    await use(async (login) => {
      const page = await openPage();
      const context = page.context();
      await context.addCookies(sessions.get(login.email) ?? []);
      // The session may have been ended by the test before.
      if (await isSignedIn(context)) return page;
      await typePassword(page, login);
      await expect(page.getByRole('navigation', { name: 'Console' })).toBeVisible();
      sessions.set(login.email, await context.cookies());
      return page;
    });
  },
  signIn: async ({ openAs, demo }, use) => {
    await use(async (slug) => {
      const operator = demo.tenants.find((tenant) => tenant.slug === slug)?.operator;
      if (!operator) throw new Error(`The demo has no tenant ${slug}.`);
      return openAs(operator);
    });
  },
  shopper: async ({ page, demo }, use) => {
    await use(new Shopper(page, demo));
  },
});

export { expect };

const productOf: Record<string, string> = { acme: 'yirgacheffe', globex: 'notebook' };

/** An order of one product, as the page's own request places it. Returns the address of its pay form. */
export async function placeOrder(page: Page, appUrl: string, shop: string): Promise<string> {
  const response = await page.request.post(`${appUrl}/api/trpc/shop.buyNow`, {
    headers: followed,
    data: { slug: shop, cart: { id: randomUUID(), lines: [{ slug: productOf[shop], quantity: 1 }] } },
  });
  const { result } = (await response.json()) as { result: { data: { orderId: string } } };
  return `${appUrl}/pay/${result.data.orderId}`;
}

/** The pages of the shop as a shopper uses them. */
export class Shopper {
  readonly page: Page;
  readonly #demo: Demo;

  constructor(page: Page, demo: Demo) {
    this.page = page;
    this.#demo = demo;
  }

  /** Opens the pay form of a new order, with the card chosen. Returns the order's number, the payment's reference. */
  async orderSomething(options: { card?: string; shop?: string; email?: string } = {}): Promise<string> {
    const shop = options.shop ?? 'acme';
    await this.page.goto(await placeOrder(this.page, this.#demo.urls.app, shop));
    return this.#fillIn(options);
  }

  /** The same through the page of a product, which takes the browser as long as the pay form itself. */
  async buyNow(): Promise<string> {
    await this.page.goto(`${this.#demo.urls.app}/s/acme/${productOf.acme}`);
    await this.page.getByRole('button', { name: 'Buy now' }).click();
    await this.page.waitForURL(/\/pay\//);
    return this.#fillIn({});
  }

  async #fillIn(options: { card?: string; email?: string }): Promise<string> {
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

  /** Waits for its number and the provider's charges, which arrive a moment later. After this the receipt does not change. */
  async expectWholeReceipt(): Promise<void> {
    await this.expectReceipt();
    await expect(this.page.getByText(/^No\. \d+$/)).toBeVisible();
    await expect(this.page.getByRole('heading', { name: /Bank record: 1 charge/ })).toBeVisible();
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

export async function typePassword(page: Page, { email, password }: Login): Promise<void> {
  await page.goto('/admin/sign-in');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function isSignedIn(context: BrowserContext): Promise<boolean> {
  const response = await context.request.get('/api/trpc/checks.pause');
  if (!response.ok() && response.status() !== 401)
    throw new Error(`The console responded with ${response.status()}.`);
  return response.ok();
}

/** What a browser adds when a link on one of our pages is followed; a request of a test adds nothing by itself. */
export const followed = { 'sec-fetch-site': 'same-origin' } as const;
