import type Stripe from 'stripe';
import type { ListedObject, ListedResult } from '../provider.ts';
import { failureOf, intentOf, refundOf } from './result.ts';
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
    return { kind: 'responded', listed, next: found.has_more ? found.data.at(-1)?.id : undefined };
  } catch (error) {
    return failureOf(error);
  }
}

function listedOf(found: Stripe.PaymentIntent | Stripe.Refund): ListedObject | undefined {
  const operation = operationOfObject(found);
  if (!operation) return undefined;
  const { id } = found;
  if (found.object === 'payment_intent') {
    const intent = intentOf(found);
    return { operation, object: 'payment_intent', id, intentId: id, state: intent.state, intent };
  }
  const of = found.payment_intent;
  const intentId = typeof of === 'string' ? of : of?.id;
  return intentId === undefined
    ? undefined
    : { operation, object: 'refund', id, intentId, state: refundOf(found).state };
}
