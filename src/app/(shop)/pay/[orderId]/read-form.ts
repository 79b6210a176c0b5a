import type { FieldError } from '#ui/error-summary.tsx';
import type { PayCommand } from '../../../trpc/pay.ts';

/** Enough to catch a slip of the finger; whether the address is real, only a letter to it can tell. */
const emailShape = /^[^\s@]+@[^\s@]+\.[^\s@]{2,}$/;

export function readForm(form: HTMLFormElement): { command?: PayCommand; errors: FieldError[] } {
  const data = new FormData(form);
  const email = String(data.get('email') ?? '').trim();
  const paymentMethod = String(data.get('paymentMethod') ?? '');
  const errors: FieldError[] = [];
  if (!emailShape.test(email)) {
    const message = email
      ? 'Enter an e-mail address such as name@example.com'
      : 'Enter an e-mail address for the receipt';
    errors.push({ field: 'email', message });
  }
  if (!paymentMethod) errors.push({ field: 'card', message: 'Choose a card' });
  return errors.length > 0 ? { errors } : { errors, command: { email, paymentMethod } };
}
