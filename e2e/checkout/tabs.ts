import type { BrowserContext, Page, Route } from 'playwright/test';
import { type Demo, Shopper } from '../fixtures.ts';

/** Another tab of the same browser on the same order, hydrated and ready. */
export async function openSameOrder(shopper: Shopper, demo: Demo): Promise<Shopper> {
  const other = new Shopper(await shopper.page.context().newPage(), demo);
  await other.page.goto(shopper.page.url());
  await other.form.and(other.page.locator('[data-idempotency-key]')).waitFor();
  return other;
}

/** The key of every payment request that leaves the browser, in order. */
export function recordKeys(context: BrowserContext): string[] {
  const keys: string[] = [];
  context.on('request', (request) => {
    if (request.url().includes('payments.pay')) keys.push(request.headers()['idempotency-key'] ?? 'none');
  });
  return keys;
}

/** Every text of the status from now on, also those that are shown only until the page has been hydrated. */
export async function recordStatus(page: Page): Promise<string[]> {
  const texts: string[] = [];
  await page.exposeFunction('reportStatus', (text: string) => texts.push(text));
  await page.addInitScript(() => {
    const { reportStatus } = window as unknown as { reportStatus: (text: string) => void };
    let last: string | undefined;
    const report = () => {
      const text = document.querySelector('form[data-state] [role=status]')?.textContent;
      if (text && text !== last) reportStatus(text);
      last = text;
    };
    new MutationObserver(report).observe(document, { subtree: true, childList: true, characterData: true });
  });
  return texts;
}

/** Lets payment requests reach the server, and holds its responses until they are released. */
export async function holdResponses(
  context: BrowserContext,
): Promise<{ readonly received: Promise<void>; release(): void }> {
  const [received, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await context.route('**/api/trpc/payments.pay*', async (route) => {
    const response = await route.fetch();
    received.resolve();
    await released.promise;
    await ignoreClosedPage(route.fulfill({ response }));
  });
  return { received: received.promise, release: () => released.resolve() };
}

/** Holds the first payment request of each browser until all of them have sent one, so that none gets a response before. */
export async function sendTogether(contexts: readonly BrowserContext[]): Promise<void> {
  const all = Promise.withResolvers<void>();
  const waiting = new Set(contexts);
  for (const context of contexts) {
    await context.route('**/api/trpc/payments.pay*', async (route) => {
      waiting.delete(context);
      if (waiting.size === 0) all.resolve();
      await all.promise;
      await route.continue();
    });
  }
}

/** Status reads of an attempt never get a response, so that the page learns its outcome from the live stream only. */
export async function blockStatusReads(context: BrowserContext): Promise<void> {
  await context.route('**/api/trpc/payments.status*', (_route: Route) => undefined);
}

/** A page that was closed or reloaded has cancelled its requests, so a response to one fails. */
export async function ignoreClosedPage(done: Promise<void>): Promise<void> {
  await done.catch(() => undefined);
}
