import { useSyncExternalStore } from 'react';
import { pause } from './order-network.ts';

/*
 * The bar uses the pay form as a shopper does, through its fields and its button. It calls none of the form's code, so
 * it can do nothing that a shopper could not.
 */

/** Faster than a quick double click. */
export const betweenClicksMs = 40;
/** No mail server exists under .example. */
const visitorEmail = 'visitor@demo.example';

export async function pressPay(times: 1 | 2 = 1): Promise<void> {
  const form = findForm();
  if (!form) return;
  const email = form.elements.namedItem('email');
  if (email instanceof HTMLInputElement && email.value === '') email.value = visitorEmail;
  const button = form.querySelector<HTMLButtonElement>('button[type=submit]');
  button?.click();
  if (times === 1) return;
  await pause(betweenClicksMs);
  button?.click();
}

/** Scrolls to what the form says about the payment, if that is not on the screen, as on a phone. */
export function showForm(): void {
  const status = findForm()?.querySelector('[role=status]');
  if (!status) return;
  const { top, bottom } = status.getBoundingClientRect();
  if (top < 0 || bottom > window.innerHeight) status.scrollIntoView({ block: 'center' });
}

export interface FormSnapshot {
  /** The form's state; undefined until JavaScript runs. */
  readonly state: string | undefined;
  readonly key: string | undefined;
}

export function useFormSnapshot(): FormSnapshot {
  const snapshot = useSyncExternalStore(watchForm, describeForm, () => ' ');
  const [state, key] = snapshot.split(' ');
  return { state: state || undefined, key: key || undefined };
}

export function isPayForm(target: EventTarget | null): boolean {
  return target !== null && target === findForm();
}

function findForm(): HTMLFormElement | null {
  return document.querySelector<HTMLFormElement>('form[data-state]');
}

function describeForm(): string {
  const form = findForm();
  return `${form?.dataset.state ?? ''} ${form?.dataset.idempotencyKey ?? ''}`;
}

function watchForm(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange);
  const attributeFilter = ['data-state', 'data-idempotency-key'];
  observer.observe(document.body, { subtree: true, childList: true, attributeFilter });
  return () => observer.disconnect();
}
