import { type Currency, currencies, isCurrency } from '#payments/money.ts';
import { type OperationName, operationNames } from '#payments/operations/copy.ts';
import { findUnsafeText } from '#payments/unsafe-text.ts';
import { type DayRange, readDay } from '../paging/days.ts';

/**
 * Which operations the list shows, and in what order. The filter is kept in the URL of the list. It is written and read
 * here; reading ignores what it does not understand.
 */
export interface OperationFilter extends DayRange {
  readonly status?: FilterStatus | undefined;
  readonly kind?: OperationName | undefined;
  /** The status of the payment, which is not in the record. */
  readonly outcome?: Outcome | undefined;
  readonly olderThanMinutes?: number | undefined;
  readonly youngerThanMinutes?: number | undefined;
  readonly currency?: Currency | undefined;
  readonly minMinor?: number | undefined;
  readonly maxMinor?: number | undefined;
  readonly errorCode?: string | undefined;
  readonly reference?: string | undefined;
  readonly key?: string | undefined;
  /** A key is found by the whole of it only. Set by the server, not in the address: a viewer could find out a key by its beginnings. */
  readonly wholeKeys?: boolean | undefined;
  /** A reference, an id of ours or of the provider, a key, or an e-mail address. */
  readonly search?: string | undefined;
  readonly escalated?: true | undefined;
  /** The next scheduled check is due. */
  readonly due?: true | undefined;
  /** The key was misused: ever, or within so many minutes. */
  readonly misused?: 'ever' | number | undefined;
  /** The outcome became unknown within so many minutes; the status may be another one by now. */
  readonly becameUnknownWithinMinutes?: number | undefined;
  /** The outcome was unknown, and was resolved within so many minutes. */
  readonly resolvedWithinMinutes?: number | undefined;
  /** The slug of one of the person's shops, or `all`. Without it, the shop that they are in. */
  readonly shop?: string | undefined;
  readonly sort: Sort;
}

// The same as the engine's. A list of its own, because the browser loads this file and should not load the engine.
export const filterStatuses = ['unknown', 'in_progress', 'completed', 'failed_retryable', 'expired'] as const;
export type FilterStatus = (typeof filterStatuses)[number];

export const outcomes = ['succeeded', 'declined', 'pending', 'released'] as const;
export type Outcome = (typeof outcomes)[number];

export const sorts = ['newest', 'oldest', 'amount', 'unknown'] as const;
export type Sort = (typeof sorts)[number];

/** A shorter prefix of a key would match too many operations. */
export const minKeyPrefixLength = 8;
export const allShops = 'all';

type Params = Readonly<Record<string, string | readonly string[] | undefined>>;

/** From the query string of a URL. */
export function readFilterQuery(query: string): OperationFilter {
  return readFilter(Object.fromEntries(new URLSearchParams(query)));
}

/** `shopCurrency` is that of an amount without one. */
export function readFilter(params: Params, shopCurrency?: Currency): OperationFilter {
  const text = (name: string) => textOf(params[name]);
  const key = text('key');
  return withImpliedStatus({
    status: oneOf(filterStatuses, text('status')),
    kind: oneOf(operationNames, text('kind')),
    outcome: oneOf(outcomes, text('outcome')),
    olderThanMinutes: readSpan(text('older')),
    youngerThanMinutes: readSpan(text('younger')),
    ...readAmounts(text, shopCurrency),
    from: readDay(text('from')),
    to: readDay(text('to')),
    errorCode: text('error'),
    reference: text('reference'),
    key: key && key.length >= minKeyPrefixLength ? key : undefined,
    search: text('q'),
    escalated: text('escalated') ? true : undefined,
    due: text('due') ? true : undefined,
    misused: text('misused') ? (readSpan(text('misused')) ?? 'ever') : undefined,
    becameUnknownWithinMinutes: readSpan(text('became_unknown')),
    resolvedWithinMinutes: readSpan(text('resolved')),
    shop: text('shop'),
    sort: oneOf(sorts, text('sort')) ?? 'newest',
  });
}

/** An amount means nothing without its currency: it takes the shop's, unless another one is chosen. */
export function readAmounts(text: (name: string) => string | undefined, shopCurrency: Currency | undefined) {
  const wanted = text('currency')?.toLowerCase();
  const chosen = wanted && isCurrency(wanted) ? wanted : undefined;
  const hasAmount = text('min') !== undefined || text('max') !== undefined;
  const currency = chosen ?? (hasAmount ? shopCurrency : undefined);
  const [low, high] = [readAmount(text('min'), currency), readAmount(text('max'), currency)];
  // "From 50 to 10" is read as "from 10 to 50".
  const isReversed = low !== undefined && high !== undefined && low > high;
  return isReversed
    ? { currency, minMinor: high, maxMinor: low }
    : { currency, minMinor: low, maxMinor: high };
}

/** Only an unknown operation can be in the queue, be due for a check, or be sorted by its time unknown. */
export function withImpliedStatus(filter: OperationFilter): OperationFilter {
  return filter.escalated || filter.due || filter.sort === 'unknown'
    ? { ...filter, status: 'unknown' }
    : filter;
}

/** Canonical: equal filters give equal query strings. */
export function writeFilter(filter: OperationFilter): string {
  const entries: [string, string | undefined][] = [
    ['q', filter.search],
    ['status', filter.status],
    ['kind', filter.kind],
    ['outcome', filter.outcome],
    ['older', spanOf(filter.olderThanMinutes)],
    ['younger', spanOf(filter.youngerThanMinutes)],
    ['from', filter.from],
    ['to', filter.to],
    ['became_unknown', spanOf(filter.becameUnknownWithinMinutes)],
    ['resolved', spanOf(filter.resolvedWithinMinutes)],
    ['currency', filter.currency],
    ['min', writeAmount(filter.minMinor, filter.currency)],
    ['max', writeAmount(filter.maxMinor, filter.currency)],
    ['error', filter.errorCode],
    ['reference', filter.reference],
    ['key', filter.key],
    ['escalated', filter.escalated && '1'],
    ['due', filter.due && '1'],
    ['misused', filter.misused === 'ever' ? '1' : spanOf(filter.misused)],
    ['shop', filter.shop],
    ['sort', filter.sort === 'newest' ? undefined : filter.sort],
  ];
  const given = entries.filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new URLSearchParams(given).toString();
}

const spanUnits = { m: 1, h: 60, d: 24 * 60 } as const;
/** Ten years, longer than any record is kept. */
export const maxSpanMinutes = 10 * 365 * spanUnits.d;

/** Reads `90m`, `24h` and `7d` as minutes. */
export function readSpan(text: string | undefined): number | undefined {
  const found = /^(\d{1,7})([mhd])$/.exec(text ?? '');
  if (!found) return undefined;
  const minutes = Number(found[1]) * spanUnits[found[2] as keyof typeof spanUnits];
  return minutes > 0 && minutes <= maxSpanMinutes ? minutes : undefined;
}

export function writeSpan(minutes: number): string {
  if (minutes % spanUnits.d === 0) return `${minutes / spanUnits.d}d`;
  return minutes % spanUnits.h === 0 ? `${minutes / spanUnits.h}h` : `${minutes}m`;
}

function spanOf(minutes: number | undefined): string | undefined {
  return minutes === undefined ? undefined : writeSpan(minutes);
}

/**
 * Reads a decimal as minor units, which only the currency defines. More digits after the point than it has are no amount: "1,250" is
 * twelve hundred and fifty dollars to the person who typed it, and a refund of $1.25 would be made. Dinars have three digits there,
 * so a comma before three of them may separate thousands as well.
 */
export function readAmount(text: string | undefined, currency: Currency | undefined): number | undefined {
  const found = /^(\d{1,9})(?:\.(\d{1,3})|,(\d{1,2}))?$/.exec(text ?? '');
  if (!found || !currency) return undefined;
  const { exponent } = currencies[currency];
  const fraction = found[2] ?? found[3] ?? '';
  return fraction.length > exponent ? undefined : Number(`${found[1]}${fraction.padEnd(exponent, '0')}`);
}

export function writeAmount(amountMinor: number | undefined, currency: Currency | undefined) {
  if (amountMinor === undefined || !currency) return undefined;
  const { exponent } = currencies[currency];
  const digits = String(amountMinor).padStart(exponent + 1, '0');
  const whole = digits.slice(0, digits.length - exponent);
  return exponent === 0 ? whole : `${whole}.${digits.slice(-exponent)}`;
}

/** Longer than every key, id and e-mail address. */
const maxTextLength = 300;

export function textOf(value: string | readonly string[] | undefined): string | undefined {
  const [first] = typeof value === 'string' ? [value] : (value ?? []);
  const text = first?.trim().slice(0, maxTextLength);
  return text && !findUnsafeText(text) ? text : undefined;
}

function oneOf<T extends string>(list: readonly T[], wanted: string | undefined): T | undefined {
  return list.find((value) => value === wanted);
}
