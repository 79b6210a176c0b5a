import type { FieldError } from '#ui/error-summary.tsx';

/** Catches typing errors. Whether the address exists, only an e-mail can show. */
const emailShape = /^[^\s@]+@[^\s@]+\.[^\s@]{2,}$/;

export type Field = { readonly value: string; readonly error?: FieldError };

export function readEmail(form: HTMLFormElement): Field {
  const value = read(form, 'email').trim();
  if (emailShape.test(value)) return { value };
  const message = value
    ? 'Enter an e-mail address such as name@example.com'
    : 'Enter an e-mail address for the receipt';
  return { value, error: { field: 'email', message } };
}

export function readPickedCard(form: HTMLFormElement): Field {
  const value = read(form, 'paymentMethod');
  return value ? { value } : { value, error: { field: 'card', message: 'Choose a card' } };
}

function read(form: HTMLFormElement, name: string): string {
  return String(new FormData(form).get(name) ?? '');
}
