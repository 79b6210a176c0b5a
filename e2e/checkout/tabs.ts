import type { BrowserContext, Route } from 'playwright/test';
import { type Demo, Shopper } from '../fixtures.ts';

/** Another tab of the same browser on the same order, alive and ready. */
export async function openSameOrder(shopper: Shopper, demo: Demo): Promise<Shopper> {
  const other = new Shopper(await shopper.page.context().newPage(), demo);
  await other.page.goto(shopper.page.url());
  await other.form.and(other.page.locator('[data-attempt-key]')).waitFor();
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

/** Lets payment requests reach the server, and keeps its answers until they are let go. */
export async function holdAnswers(
  context: BrowserContext,
): Promise<{ readonly came: Promise<void>; release(): void }> {
  const [came, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await context.route('**/api/trpc/payments.pay*', async (route) => {
    const response = await route.fetch();
    came.resolve();
    await released.promise;
    await quietly(route.fulfill({ response }));
  });
  return { came: came.promise, release: () => released.resolve() };
}

/** No question about an attempt is ever answered: what the page learns, it is told by the live stream. */
export async function leaveQuestionsUnanswered(context: BrowserContext): Promise<void> {
  await context.route('**/api/trpc/payments.attempt*', (_route: Route) => undefined);
}

/** A page that was closed or loaded again takes its requests with it; then there is nothing left to answer. */
export async function quietly(done: Promise<void>): Promise<void> {
  await done.catch(() => undefined);
}
