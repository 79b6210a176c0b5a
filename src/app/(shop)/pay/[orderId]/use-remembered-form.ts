import { type RefObject, useEffect } from 'react';
import type { PayCommand } from '#app/trpc/pay.ts';
import { createKeyMemory, type RememberedKey } from '#idempotency/browser/key-memory.ts';
import { payCommandOf } from './stored-command.ts';

/**
 * After a reload the form shows the command that was sent. What the shopper has entered since, before JavaScript ran, is
 * kept, unless the command is unresolved: then that is what a retry sends. A command that is under way is shown in every tab,
 * also in one where other values had been entered.
 */
export function useRememberedForm(
  form: RefObject<HTMLFormElement | null>,
  scope: string,
  underWay: PayCommand | undefined,
): void {
  useEffect(() => {
    const remembered = readMemory(scope);
    const sent = remembered?.command ? payCommandOf(JSON.parse(remembered.command)) : undefined;
    if (!remembered || !sent) return;
    show(form.current, sent, remembered.stage === 'unresolved' || remembered.stage === 'given_up');
  }, [form, scope]);
  const { email, paymentMethod } = underWay ?? {};
  useEffect(() => {
    if (email !== undefined && paymentMethod !== undefined)
      show(form.current, { email, paymentMethod }, true);
  }, [form, email, paymentMethod]);
}

function show(form: HTMLFormElement | null, sent: PayCommand, inPlaceOfInput: boolean): void {
  if (!form) return;
  const email = form.elements.namedItem('email');
  if (email instanceof HTMLInputElement && (inPlaceOfInput || email.value === '')) email.value = sent.email;
  const cards = form.elements.namedItem('paymentMethod');
  if (cards instanceof RadioNodeList && (inPlaceOfInput || !isTouched(cards)))
    cards.value = sent.paymentMethod;
  // The chosen card may be in a collapsed section, and there below the part of the list that is in sight.
  const chosen = form.querySelector('input[name=paymentMethod]:checked');
  const section = chosen?.closest('details');
  const list = section?.lastElementChild;
  if (!chosen || !section || !list) return;
  section.open = true;
  const row = chosen.closest('label') ?? chosen;
  const belowPx = row.getBoundingClientRect().bottom - list.getBoundingClientRect().bottom;
  if (belowPx > 0) list.scrollTop += belowPx;
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
