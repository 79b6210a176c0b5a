import type { Page } from 'playwright/test';
import { test as base, type Demo, expect } from '../fixtures.ts';

type Role = 'viewer' | 'operator' | 'approver' | 'owner';

interface ConsoleFixtures {
  /** A member of Acme in a browser of their own. */
  signInAs(role: Role): Promise<Page>;
  /** Switches an outage of the provider on and off; it is off after the test. */
  outage(on: boolean): Promise<void>;
  /** Switches the provider's webhooks on and off; they are on after the test, and those that waited are sent. */
  webhooks(on: boolean): Promise<void>;
}

export const test = base.extend<ConsoleFixtures>({
  signInAs: async ({ openAs, demo }, use) => {
    await use(async (role) => {
      const people = demo.tenants.find(({ slug }) => slug === 'acme')?.people;
      const person = people?.find((one) => one.role === role);
      if (!person) throw new Error(`Acme has no ${role}.`);
      return openAs(person);
    });
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
