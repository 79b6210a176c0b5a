import { type BrowserContext, expect, type Page } from 'playwright/test';
import { test as base, type Demo } from '../fixtures.ts';
import { openWholePage } from '../whole-page.ts';

type Role = 'viewer' | 'operator' | 'approver' | 'owner';
type State = Awaited<ReturnType<BrowserContext['storageState']>>;

/** Signing in is slow, because hashing a password is, so all tests of a run share one session per role. */
const sessions = new Map<string, State>();

interface ConsoleFixtures {
  /** A member of Acme in a browser of their own. */
  signInAs(role: Role): Promise<Page>;
  /** Switches an outage of the provider on and off; it is off after the test. */
  outage(on: boolean): Promise<void>;
  /** Switches the provider's webhooks on and off; they are on after the test, and those that waited are sent. */
  webhooks(on: boolean): Promise<void>;
}

export const test = base.extend<ConsoleFixtures>({
  signInAs: async ({ browser, demo }, use) => {
    const contexts: BrowserContext[] = [];
    await use(async (role) => {
      const tenant = demo.tenants.find(({ slug }) => slug === 'acme') as unknown as {
        people: { role: Role; email: string; password: string }[];
      };
      const person = tenant.people.find((one) => one.role === role);
      if (!person) throw new Error(`Acme has no ${role}.`);
      const known = sessions.get(role);
      const context = await browser.newContext({
        baseURL: demo.urls.app,
        ...(known && { storageState: known }),
      });
      contexts.push(context);
      const page = await openWholePage(context);
      if (known) return page;
      await page.goto('/admin/sign-in');
      await page.getByLabel(/e-mail/i).fill(person.email);
      await page.getByLabel(/password/i).fill(person.password);
      await page.getByRole('button', { name: /sign in/i }).click();
      await expect(page.getByRole('navigation', { name: 'Console' })).toBeVisible();
      sessions.set(role, await context.storageState());
      return page;
    });
    await Promise.all(contexts.map((context) => context.close()));
  },
  outage: async ({ demo }, use) => {
    const setOutage = (on: boolean) => setSwitch(demo, 'outage', { on, mode: '503' });
    await use(setOutage);
    await setOutage(false);
  },
  webhooks: async ({ demo }, use) => {
    const setWebhooks = (on: boolean) => setSwitch(demo, 'webhooks', { on });
    await use(setWebhooks);
    await setWebhooks(true);
  },
});

async function setSwitch(demo: Demo, name: string, to: object): Promise<void> {
  const response = await fetch(`${demo.urls.sandbox}/_sandbox/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(to),
  });
  if (!response.ok) throw new Error(`The sandbox responded with ${response.status}.`);
}

export { expect };

/** From the list of unknown operations to the operation's own page. */
export async function openOperation(page: Page, reference: string): Promise<void> {
  await page.goto('/admin/operations?status=unknown');
  await page.getByRole('link', { name: reference }).click();
  await expect(page.getByRole('heading', { level: 1, name: reference })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Resolve' })).toBeVisible();
}

/** Asserts an outcome by a button of the page, with a reason. */
export async function assertOutcome(page: Page, action: string | RegExp, reason: string): Promise<void> {
  await page.getByRole('button', { name: action, exact: true }).click();
  const dialog = page.getByRole('alertdialog');
  const field = dialog.getByRole('textbox');
  if (reason) await field.fill(reason);
  await dialog.getByRole('button').last().click();
}
