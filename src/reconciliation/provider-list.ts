import type { BookedObject } from '#payments/index.ts';
import { ProviderLacksBooked, ProviderUnresponsive } from './provider-trouble.ts';

/**
 * What the provider made for a commit was made at most a lease before it. The rest is for a provider's clock that differs from the
 * database's.
 */
export const listMarginMs = 5 * 60_000;

interface Place {
  readonly since: Date;
  readonly after: string | undefined;
}

interface Page {
  readonly kind: 'responded';
  readonly objectIds: readonly string[];
  readonly next: string | undefined;
}

interface Failure {
  readonly kind: 'not_executed' | 'rejected' | 'ambiguous';
  readonly code: string;
}

/**
 * All pages of a list that proves something by what it lacks. It goes back to what is booked here, if that is older, and must
 * have it: an empty list may be an error of the provider's, or that of another account.
 */
export async function* pagesOf<Result extends Page | Failure>(
  list: { readonly of: string; readonly since: Date; readonly booked: BookedObject | undefined },
  read: (place: Place) => Promise<Result>,
): AsyncGenerator<Extract<Result, Page>, void, undefined> {
  const { booked } = list;
  const since = booked?.createdAt && booked.createdAt < list.since ? booked.createdAt : list.since;
  const begun = new Set<string>();
  let isFound = booked === undefined;
  let after: string | undefined;
  do {
    const page: Page | Failure = await read({ since, after });
    if (page.kind !== 'responded') {
      // A key that was allowed to read the first page may read the others.
      throw new ProviderUnresponsive(page.code, page.kind === 'rejected' && after === undefined);
    }
    isFound ||= page.objectIds.some((id) => id === booked?.id);
    yield page as Extract<Result, Page>;
    after = nextPage(page.next, begun);
  } while (after !== undefined);
  if (booked && !isFound) throw new ProviderLacksBooked(list.of, booked.id);
}

/** `begun`: where the pages so far began. A list that leads back to one of them would never end. */
function nextPage(after: string | undefined, begun: Set<string>): string | undefined {
  if (after === undefined) return undefined;
  if (begun.has(after)) throw new ProviderUnresponsive('provider_response_invalid');
  begun.add(after);
  return after;
}
