import { type RefObject, useEffect } from 'react';
import { createAttemptMemory, type RememberedAttempt } from '#idempotency/browser/key-memory.ts';
import type { PayCommand } from '#app/trpc/pay.ts';

/**
 * After a reload the form shows what was sent, because that is what goes on, not an empty form. What the shopper has
 * entered since, before JavaScript came, is kept, unless something else is still under way.
 */
export function useRememberedForm(form: RefObject<HTMLFormElement | null>, scope: string): void {
  useEffect(() => {
    const remembered = recall(scope);
    const fields = form.current?.elements;
    if (!remembered?.command || !fields) return;
    const sent = JSON.parse(remembered.command) as PayCommand;
    const unresolved = remembered.phase === 'open' || remembered.phase === 'given_up';
    const email = fields.namedItem('email');
    if (email instanceof HTMLInputElement && (unresolved || email.value === '')) email.value = sent.email;
    const cards = fields.namedItem('paymentMethod');
    if (cards instanceof RadioNodeList && (unresolved || !isTouched(cards))) cards.value = sent.paymentMethod;
    // The chosen card may lie in a closed drawer.
    const drawer = form.current?.querySelector('input[name=paymentMethod]:checked')?.closest('details');
    if (drawer) drawer.open = true;
  }, [form, scope]);
}

function isTouched(cards: RadioNodeList): boolean {
  return [...cards].some((card) => card instanceof HTMLInputElement && card.checked !== card.defaultChecked);
}

function recall(scope: string): RememberedAttempt | undefined {
  try {
    return createAttemptMemory(window.localStorage).read(scope);
  } catch {
    // Storage that is closed to us has nothing to show.
    return undefined;
  }
}
