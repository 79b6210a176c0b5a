import { type RefObject, useEffect } from 'react';
import { createAttemptMemory } from '#idempotency/browser/attempt-memory.ts';
import type { PayCommand } from '../../../trpc/pay.ts';

/** After a reload the form shows what was sent, because that is what goes on, not an empty form. */
export function useRememberedForm(form: RefObject<HTMLFormElement | null>, scope: string): void {
  useEffect(() => {
    const sent = sentCommand(scope);
    const fields = form.current?.elements;
    if (!sent || !fields) return;
    const email = fields.namedItem('email');
    if (email instanceof HTMLInputElement && email.value === '') email.value = sent.email;
    const cards = fields.namedItem('paymentMethod');
    if (cards instanceof RadioNodeList) cards.value = sent.paymentMethod;
    // The chosen card may lie in a closed drawer.
    const drawer = form.current?.querySelector('input[name=paymentMethod]:checked')?.closest('details');
    if (drawer) drawer.open = true;
  }, [form, scope]);
}

function sentCommand(scope: string): PayCommand | undefined {
  try {
    const command = createAttemptMemory(window.localStorage).read(scope)?.command;
    return command ? (JSON.parse(command) as PayCommand) : undefined;
  } catch {
    // Storage that is closed to us has nothing to show.
    return undefined;
  }
}
