import { isAtLeast, type Role } from '../members/membership.ts';

/** An order's link is enough to cancel the order until it is paid, and a viewer only reads. */
export function mayOpenOrder(role: Role, isPaid: boolean): boolean {
  return isPaid || isAtLeast(role, 'operator');
}

/** The e-mail as it can be shown to a person who may not open the order. */
export function hideOrderLink(email: { readonly html: string; readonly text: string }) {
  const hide = (body: string) => body.replaceAll(/(\/(?:orders|pay)\/)[0-9a-f-]{36}/g, '$1…');
  return { html: hide(email.html), text: hide(email.text) };
}
