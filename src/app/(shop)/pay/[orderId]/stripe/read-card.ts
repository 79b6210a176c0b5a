import type { PaymentMethodResult, Stripe, StripeElements, StripeError } from '@stripe/stripe-js';

/** The payment method that Stripe made of the card, or a message for the shopper. */
export type CardRead =
  | { readonly kind: 'method'; readonly id: string }
  | { readonly kind: 'problem'; readonly message: string };

export type CheckElements = Pick<StripeElements, 'submit'>;

/** Stripe's own validation. It marks the field; the returned message is for the error summary. */
export async function checkCard(elements: CheckElements): Promise<string | undefined> {
  try {
    const { error } = await elements.submit();
    return error && messageOf(error);
  } catch {
    return unreached;
  }
}

/** The card goes from Stripe's frame to Stripe; only the payment method's id reaches this page and our server. */
export async function readCard(
  stripe: Pick<Stripe, 'createPaymentMethod'>,
  elements: StripeElements,
): Promise<CardRead> {
  try {
    return cardReadOf(await stripe.createPaymentMethod({ elements }));
  } catch {
    return { kind: 'problem', message: unreached };
  }
}

export function cardReadOf(result: PaymentMethodResult): CardRead {
  if (result.error) return { kind: 'problem', message: messageOf(result.error) };
  return { kind: 'method', id: result.paymentMethod.id };
}

const unreached =
  'The card could not be handed to Stripe, so nothing was charged. Check the connection, then pay';

/** Stripe's messages of two types are written for the shopper; for the others we have a text of our own. */
function messageOf({ type, message }: StripeError): string {
  if ((type === 'validation_error' || type === 'card_error') && message) return message.replace(/\.$/, '');
  return unreached;
}
