import type Stripe from 'stripe';
import { InvalidList } from './result.ts';

/** Where the next page begins, if there is one. */
export function nextPage(
  page: Stripe.ApiList<{ id: string }>,
  after: string | undefined,
): string | undefined {
  if (!page.has_more) return undefined;
  const last: unknown = page.data.at(-1)?.id;
  if (typeof last !== 'string' || last === after) throw new InvalidList('The list does not go on.');
  return last;
}

/** All that a list has, page by page. All pages together have the time of one call, because an owner may wait for them. */
export async function* allOf<Listed extends { id: string }>(
  read: (after: string | undefined, timeoutMs: number) => Promise<Stripe.ApiList<Listed>>,
  timeoutMs: number,
): AsyncGenerator<Listed> {
  const end = performance.now() + timeoutMs;
  let after: string | undefined;
  do {
    const leftMs = Math.ceil(end - performance.now());
    if (leftMs <= 0) throw new InvalidList('The list does not end in time.');
    const page = await read(after, leftMs);
    yield* page.data;
    after = nextPage(page, after);
  } while (after !== undefined);
}
