import { type BrowserContext, expect, type Page } from 'playwright/test';
import { test as house } from '../fixtures.ts';

type Role = 'viewer' | 'operator' | 'approver' | 'owner';
type State = Awaited<ReturnType<BrowserContext['storageState']>>;

/** Signing in is slow on purpose; one sitting per person serves all tests of a run. */
const sittings = new Map<string, State>();

interface Office {
  /** Somebody of Acme in a browser of their own. */
  as(role: Role): Promise<Page>;
  /** Turns a switch of the provider; it is turned back after the test. */
  outage(on: boolean): Promise<void>;
}

export const test = house.extend<Office>({
  as: async ({ browser, demo }, use) => {
    const rooms: BrowserContext[] = [];
    await use(async (role) => {
      const tenant = demo.tenants.find(({ slug }) => slug === 'acme') as unknown as {
        people: { role: Role; email: string; password: string }[];
      };
      const person = tenant.people.find((one) => one.role === role);
      if (!person) throw new Error(`Nobody at Acme is ${role}.`);
      const known = sittings.get(role);
      const room = await browser.newContext({
        baseURL: demo.urls.app,
        ...(known && { storageState: known }),
      });
      rooms.push(room);
      const desk = await room.newPage();
      if (known) return desk;
      await desk.goto('/admin/sign-in');
      await desk.getByLabel(/e-mail/i).fill(person.email);
      await desk.getByLabel(/password/i).fill(person.password);
      await desk.getByRole('button', { name: /sign in/i }).click();
      await expect(desk.getByRole('navigation', { name: 'Console' })).toBeVisible();
      sittings.set(role, await room.storageState());
      return desk;
    });
    await Promise.all(rooms.map((room) => room.close()));
  },
  outage: async ({ demo }, use) => {
    const turn = async (on: boolean) => {
      const response = await fetch(`${demo.urls.sandbox}/_sandbox/outage`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ on, mode: '503' }),
      });
      if (!response.ok) throw new Error(`The sandbox's control door answered ${response.status}.`);
    };
    await use(turn);
    await turn(false);
  },
});

export { expect };

/** From the list of what is unknown to the operation's own page. */
export async function openOperation(desk: Page, reference: string): Promise<void> {
  await desk.goto('/admin/operations?status=unknown');
  await desk.getByRole('link', { name: reference }).click();
  await expect(desk.getByRole('heading', { level: 1, name: reference })).toBeVisible();
  await expect(desk.getByRole('heading', { name: 'Resolve' })).toBeVisible();
}

/** Says what became of it, with a reason, as far as the page offers it. */
export async function say(desk: Page, action: string | RegExp, reason: string): Promise<void> {
  await desk.getByRole('button', { name: action, exact: true }).click();
  const dialog = desk.getByRole('alertdialog');
  const field = dialog.getByRole('textbox');
  if (reason) await field.fill(reason);
  await dialog.getByRole('button').last().click();
}
