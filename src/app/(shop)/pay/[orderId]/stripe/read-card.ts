import type { PaymentMethodResult, Stripe, StripeElements, StripeError } from '@stripe/stripe-js';

/** What came of asking Stripe for the card that was typed in: a name for it, or what to tell the shopper. */
export type CardRead =
  | { readonly kind: 'method'; readonly id: string }
  | { readonly kind: 'problem'; readonly message: string };

export type CheckElements = Pick<StripeElements, 'submit'>;

/** Stripe's own checks of the fields. It marks the field; the sentence is for the error summary. */
export async function checkCard(elements: CheckElements): Promise<string | undefined> {
  try {
    const { error } = await elements.submit();
    return error && wordsOf(error);
  } catch {
    return unreached;
  }
}

/** The card goes from Stripe's frame to Stripe; what comes back to this page, and goes to our server, is its name. */
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
  if (result.error) return { kind: 'problem', message: wordsOf(result.error) };
  return { kind: 'method', id: result.paymentMethod.id };
}

const unreached =
  'The card could not be handed to Stripe, so nothing was charged. Check the connection, then pay';

/** Stripe writes for the shopper where the shopper can do something about it. The rest is ours to say. */
function wordsOf({ type, message }: StripeError): string {
  if ((type === 'validation_error' || type === 'card_error') && message) return message.replace(/\.$/, '');
  return unreached;
}
