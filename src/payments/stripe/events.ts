import Stripe from 'stripe';
import type { EventsResult } from '../provider.ts';
import { usedEventTypes } from './event-types.ts';
import { nextPage } from './pages.ts';
import { failureOf } from './result.ts';
import { operationOfEvent, readStripeEvent, storableJson } from './webhook.ts';

/** A page of the events since a moment, as their webhooks had them. */
export async function listStripeEvents(
  stripe: Stripe,
  page: { readonly since: Date; readonly until?: Date; readonly after: string | undefined },
): Promise<EventsResult> {
  try {
    const found = await stripe.events.list({
      created: { gte: secondsOf(page.since), ...(page.until && { lte: secondsOf(page.until) }) },
      types: [...usedEventTypes],
      limit: 100,
      ...(page.after && { starting_after: page.after }),
    });
    const events = found.data.map((event) => {
      const payload = storableJson(JSON.stringify(event));
      const operation = operationOfEvent(JSON.parse(payload) as Stripe.Event);
      return { id: event.id, type: event.type, operation, payload };
    });
    const objectIds = found.data.flatMap(
      ({ type, data }) => readStripeEvent({ type, payload: { data } }).objectId ?? [],
    );
    return { kind: 'responded', events, objectIds, next: nextPage(found, page.after) };
  } catch (error) {
    const failure = failureOf(error);
    // The key itself was refused, as while it is rotated: that does not say that it may not read events.
    return error instanceof Stripe.errors.StripeAuthenticationError
      ? { kind: 'not_executed', code: failure.code }
      : failure;
  }
}

function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
