import { type RefObject, useEffect } from 'react';
import { createKeyMemory, type RememberedKey } from '#idempotency/browser/key-memory.ts';
import { payCommandOf } from './stored-command.ts';

/**
 * After a reload the form shows the command that was sent. What the shopper has entered since, before JavaScript ran, is
 * kept, unless the command is unresolved: then that is what a retry sends.
 */
export function useRememberedForm(form: RefObject<HTMLFormElement | null>, scope: string): void {
  useEffect(() => {
    const remembered = readMemory(scope);
    const fields = form.current?.elements;
    const sent = remembered?.command ? payCommandOf(JSON.parse(remembered.command)) : undefined;
    if (!remembered || !sent || !fields) return;
    const unresolved = remembered.stage === 'unresolved' || remembered.stage === 'given_up';
    const email = fields.namedItem('email');
    if (email instanceof HTMLInputElement && (unresolved || email.value === '')) email.value = sent.email;
    const cards = fields.namedItem('paymentMethod');
    if (cards instanceof RadioNodeList && (unresolved || !isTouched(cards))) cards.value = sent.paymentMethod;
    // The chosen card may be in a collapsed section.
    const section = form.current?.querySelector('input[name=paymentMethod]:checked')?.closest('details');
    if (section) section.open = true;
  }, [form, scope]);
}

function isTouched(cards: RadioNodeList): boolean {
  return [...cards].some((card) => card instanceof HTMLInputElement && card.checked !== card.defaultChecked);
}

function readMemory(scope: string): RememberedKey | undefined {
  try {
    return createKeyMemory(window.localStorage).read(scope);
  } catch {
    // Without storage there is nothing to restore.
    return undefined;
  }
}
