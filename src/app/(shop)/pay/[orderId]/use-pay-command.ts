import { type RefObject, useRef, useState } from 'react';
import type { PayCommand } from '#app/trpc/pay.ts';
import type { FieldError } from '#ui/error-summary.tsx';
import { type Field, readEmail, readPickedCard } from './read-form.ts';
import type { CardHandle } from './stripe/card-handle.ts';

/**
 * Makes the command from what the shopper entered. A card in Stripe's fields is sent to Stripe first; meanwhile `reading`
 * is true and a second click does nothing.
 */
export function usePayCommand(form: RefObject<HTMLFormElement | null>) {
  const [errors, setErrors] = useState<readonly FieldError[]>([]);
  const [reading, setReading] = useState(false);
  const busy = useRef(false);

  async function read(card: CardSource): Promise<PayCommand | undefined> {
    if (!form.current || busy.current) return;
    busy.current = true;
    setReading(card.kind === 'fields');
    try {
      const email = readEmail(form.current);
      const method = await readMethod(form.current, card, email.error === undefined);
      const found = [email.error, method.error].filter((error) => error !== undefined);
      setErrors(found);
      return found.length > 0 ? undefined : { email: email.value, paymentMethod: method.value };
    } finally {
      busy.current = false;
      setReading(false);
    }
  }

  return { errors, reading, read };
}

/** Where the card comes from: our list, Stripe's fields, or the stored command. */
export type CardSource =
  | { readonly kind: 'list' }
  | { readonly kind: 'fields'; readonly handle: CardHandle | null }
  | { readonly kind: 'kept'; readonly paymentMethod: string };

async function readMethod(form: HTMLFormElement, card: CardSource, formIsValid: boolean): Promise<Field> {
  if (card.kind === 'list') return readPickedCard(form);
  if (card.kind === 'kept') return { value: card.paymentMethod };
  const message = card.handle ? await card.handle.check() : 'Wait until the card form is there, then pay';
  if (message !== undefined) return problem(message);
  // The card is checked, so that all errors are shown at once, but a form with errors makes no payment method.
  if (!formIsValid || !card.handle) return { value: '' };
  const read = await card.handle.read();
  return read.kind === 'method' ? { value: read.id } : problem(read.message);
}

function problem(message: string): Field {
  return { value: '', error: { field: 'card', message } };
}
