import type { FieldError } from '#ui/error-summary.tsx';

/**
 * The shape that the server asks for (zod's `z.email()`, which would add its whole weight to the page), so that no address
 * passes here and is refused there without a mark at the field. Whether the address exists, only an e-mail can show.
 */
const emailShape = /^(?:[\w'+-]+\.)*[\w'+-]*[\w+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/;

export type Field = { readonly value: string; readonly error?: FieldError };

export function readEmail(form: HTMLFormElement): Field {
  return checkEmail(read(form, 'email'));
}

export function checkEmail(text: string): Field {
  const value = text.trim();
  if (emailShape.test(value)) return { value };
  return { value, error: { field: 'email', message: emailMessage(value) } };
}

function emailMessage(value: string): string {
  if (!value) return 'Enter an e-mail address for the receipt';
  const [foreign] = value.match(/[^\p{ASCII}\s]/u) ?? [];
  if (!foreign) return 'Enter an e-mail address such as name@example.com';
  return `The receipt cannot be sent to an address with “${foreign}”. Enter one such as name@example.com`;
}

export function readPickedCard(form: HTMLFormElement): Field {
  const value = read(form, 'paymentMethod');
  return value ? { value } : { value, error: { field: 'card', message: 'Choose a card' } };
}

function read(form: HTMLFormElement, name: string): string {
  return String(new FormData(form).get(name) ?? '');
}
