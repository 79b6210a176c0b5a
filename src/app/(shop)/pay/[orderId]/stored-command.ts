import type { PayCommand } from '#app/trpc/pay.ts';

/** A command that the browser had stored, if it is one: another version of this page, or another program, may have written it. */
export function payCommandOf(stored: unknown): PayCommand | undefined {
  if (typeof stored !== 'object' || stored === null) return undefined;
  const { email, paymentMethod } = stored as Record<string, unknown>;
  return typeof email === 'string' && typeof paymentMethod === 'string'
    ? { email, paymentMethod }
    : undefined;
}
