import type Stripe from 'stripe';
import type { ListedObject, ListedResult } from '../provider.ts';
import { nextPage } from './pages.ts';
import { failureOf, InvalidList, readIntent, readRefund } from './result.ts';
import { operationOfObject } from './webhook.ts';

/** A page of the intents or refunds that were created since a moment. */
export async function listStripeObjects(
  stripe: Stripe,
  page: { readonly object: ListedObject['object']; readonly since: Date; readonly after: string | undefined },
): Promise<ListedResult> {
  const parameters = {
    created: { gte: Math.floor(page.since.getTime() / 1000) },
    limit: 100,
    ...(page.after && { starting_after: page.after }),
  };
  try {
    const found =
      page.object === 'payment_intent'
        ? await stripe.paymentIntents.list(parameters)
        : await stripe.refunds.list(parameters);
    const listed = found.data.flatMap((object) => listedOf(object) ?? []);
    const objectIds = found.data.map(({ id }) => id);
    return { kind: 'responded', listed, objectIds, next: nextPage(found, page.after) };
  } catch (error) {
    return failureOf(error);
  }
}

/** Undefined: it is not ours. What is ours and cannot be read must not be passed over as if it had been compared. */
function listedOf(found: Stripe.PaymentIntent | Stripe.Refund): ListedObject | undefined {
  const operation = operationOfObject(found);
  if (!operation) return undefined;
  const intent = readIntent(found);
  if (intent) {
    const { id, state } = intent;
    return { operation, object: 'payment_intent', id, intentId: id, state, intent };
  }
  const read = readRefund(found);
  if (!read) throw new InvalidList('It has an object that is neither an intent nor a refund.');
  const { refund, intentId } = read;
  return intentId === undefined
    ? undefined
    : { operation, object: 'refund', id: refund.id, intentId, state: refund.state };
}
