import type { Page } from 'playwright/test';
import { expectAccessible } from '../accessible.ts';
import { test as base, expect, type Login } from '../fixtures.ts';

export { expect };

/** Each person in a test has a browser context of their own. */
export const test = base.extend<{
  browserOf(login?: Login): Promise<Page>;
  login(role: string, slug?: string): Login;
}>({
  login: async ({ demo }, use) => {
    await use((role, slug = 'globex') => {
      const found = demo.tenants
        .find((tenant) => tenant.slug === slug)
        ?.people.find((person) => person.role === role);
      if (!found) throw new Error(`The demo has no ${role}.`);
      return found;
    });
  },
  browserOf: async ({ openPage, openAs }, use) => {
    await use((login) => (login ? openAs(login) : openPage()));
  },
});

/** Checked when no button is disabled, because the contrast changes while a button is being enabled. */
export async function expectAccessibleAtRest(page: Page): Promise<void> {
  await expect(page.locator('button:disabled')).toHaveCount(0);
  await expectAccessible(page);
}

/** The link in the newest e-mail to an address, as an owner reads it in the outbox. */
async function linkIn(owner: Page, email: string): Promise<string> {
  await owner.goto('/admin/outbox');
  await owner.getByRole('row').filter({ hasText: email }).first().getByRole('link').click();
  const message = await owner.locator('pre').textContent();
  const link = /http\S+\/admin\/invitation\/\S+/.exec(message ?? '')?.[0];
  if (!link) throw new Error('The e-mail has no link.');
  return link;
}

export async function invite(owner: Page, email: string, role: string): Promise<string> {
  await owner.goto('/admin/members');
  await owner.getByLabel('E-mail').fill(email);
  await owner.getByLabel('Role', { exact: true }).selectOption(role);
  await owner.getByRole('button', { name: 'Send invitation' }).click();
  await expect(owner.getByText(`An invitation to ${email} is on its way.`)).toBeVisible();
  return linkIn(owner, email);
}
