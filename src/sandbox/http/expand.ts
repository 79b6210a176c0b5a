import type { z } from 'zod';
import { list, refuse, text } from './parameters.ts';

/*
 * Which properties can be expanded, from the object that they are in to the object that they name. Those that Stripe can
 * expand and that are always null in the sandbox lead to nothing.
 */
export type ObjectKind = 'payment_intent' | 'charge' | 'refund' | 'payment_method' | 'balance_transaction';

const NOTHING = null;

export const EXPANDABLE: Record<ObjectKind, Readonly<Record<string, ObjectKind | 'refunds' | null>>> = {
  payment_intent: {
    latest_charge: 'charge',
    payment_method: 'payment_method',
    application: NOTHING,
    customer: NOTHING,
    on_behalf_of: NOTHING,
    payment_record: NOTHING,
    review: NOTHING,
    source: NOTHING,
  },
  charge: {
    balance_transaction: 'balance_transaction',
    payment_intent: 'payment_intent',
    refunds: 'refunds',
    application: NOTHING,
    application_fee: NOTHING,
    customer: NOTHING,
    failure_balance_transaction: NOTHING,
    on_behalf_of: NOTHING,
    review: NOTHING,
    source_transfer: NOTHING,
    transfer: NOTHING,
  },
  refund: {
    balance_transaction: 'balance_transaction',
    charge: 'charge',
    failure_balance_transaction: 'balance_transaction',
    payment_intent: 'payment_intent',
    customer: NOTHING,
    payment_method: NOTHING,
    source_transfer_reversal: NOTHING,
    transfer_reversal: NOTHING,
  },
  payment_method: { customer: NOTHING },
  balance_transaction: { source: 'charge' },
};

// Stripe's limit.
const MAX_LEVELS = 4;

export type Expand = string[] | undefined;

/** Names are checked before the request is executed, so that a mistake in them changes nothing. */
export function expandOf(kind: ObjectKind | null) {
  return checked((levels) => (canExpand(kind, levels) ? undefined : ''));
}

export function expandOfList(kind: ObjectKind | null, ownProperties: readonly string[] = []) {
  return checked((levels) => {
    const [first, ...rest] = levels;
    if (first === 'data' && rest.length > 0) return canExpand(kind, rest) ? undefined : '';
    if (first !== undefined && rest.length === 0 && ownProperties.includes(first)) return undefined;
    const inData = canExpand(kind, levels);
    return inData ? ` You may want to try expanding 'data.${levels.join('.')}' instead.` : '';
  });
}

/** `complaint` returns what follows the refusal of a path, or undefined when the path can be expanded. */
function checked(complaint: (levels: string[]) => string | undefined) {
  return list(
    text.transform((path, ctx) => {
      const levels = path.split('.');
      if (levels.length > MAX_LEVELS) {
        return refuse(ctx, {
          message: `You cannot expand more than ${MAX_LEVELS} levels of a property. Property: ${path}`,
        });
      }
      const advice = complaint(levels);
      if (advice === undefined) return path;
      return refuse(ctx, { message: `This property cannot be expanded (${path}).${advice}` });
    }),
  ).optional() as z.ZodType<Expand>;
}

function canExpand(kind: ObjectKind | null, [property, ...rest]: string[]): boolean {
  if (kind === null || property === undefined || !Object.hasOwn(EXPANDABLE[kind], property)) return false;
  const target = EXPANDABLE[kind][property];
  if (rest.length === 0 || target === null || target === undefined) return true;
  if (target === 'refunds')
    return rest[0] === 'data' && (rest.length === 1 || canExpand('refund', rest.slice(1)));
  return canExpand(target, rest);
}
