import { type Currency, currencies, isCurrency } from '#payments/money.ts';
import { type OperationName, operationNames } from '#payments/operations/copy.ts';

/**
 * Which operations somebody wants to see, and in what order. It lives in the address of the list, so it is written and
 * read here, and reading forgives everything: what it does not understand it leaves out.
 */
export interface OperationFilter {
  readonly status?: FilterStatus | undefined;
  readonly kind?: OperationName | undefined;
  /** What became of the payment itself, which the record knows nothing of. */
  readonly outcome?: Outcome | undefined;
  readonly olderThanMinutes?: number | undefined;
  readonly youngerThanMinutes?: number | undefined;
  readonly currency?: Currency | undefined;
  readonly minMinor?: number | undefined;
  readonly maxMinor?: number | undefined;
  readonly errorCode?: string | undefined;
  readonly reference?: string | undefined;
  readonly key?: string | undefined;
  /** A reference, an id of ours or of the provider, a key, or an e-mail address. */
  readonly search?: string | undefined;
  readonly escalated?: true | undefined;
  /** The time of the next scheduled check has come. */
  readonly due?: true | undefined;
  /** Whose key was misused: ever, or within so many minutes. */
  readonly misused?: 'ever' | number | undefined;
  /** Whose outcome became unknown within so many minutes, whichever status it has now. */
  readonly becameUnknownWithinMinutes?: number | undefined;
  /** Whose outcome was unknown, and was resolved within so many minutes. */
  readonly resolvedWithinMinutes?: number | undefined;
  /** The slug of one of the person's shops, or all of them. Left out: the one they are in. */
  readonly shop?: string | undefined;
  readonly sort: Sort;
}

// The same as the engine's; its own list, because the browser reads this file and has no use for the engine.
export const filterStatuses = ['unknown', 'in_progress', 'completed', 'failed_retryable', 'expired'] as const;
export type FilterStatus = (typeof filterStatuses)[number];

export const outcomes = ['succeeded', 'declined', 'pending', 'released'] as const;
export type Outcome = (typeof outcomes)[number];

export const sorts = ['newest', 'oldest', 'amount', 'unknown'] as const;
export type Sort = (typeof sorts)[number];

/** Shorter beginnings of a key would find half the table. */
export const shortestKeyPrefix = 8;
export const allShops = 'all';

type Params = Readonly<Record<string, string | readonly string[] | undefined>>;

/** From the part of an address that comes after its question mark. */
export function readFilterQuery(query: string): OperationFilter {
  return readFilter(Object.fromEntries(new URLSearchParams(query)));
}

export function readFilter(params: Params): OperationFilter {
  const text = (name: string) => textOf(params[name]);
  const wantedCurrency = text('currency')?.toLowerCase();
  const currency = wantedCurrency && isCurrency(wantedCurrency) ? wantedCurrency : undefined;
  const [from, to] = [readAmount(text('min'), currency), readAmount(text('max'), currency)];
  // Somebody who says "from 50 to 10" means what lies between.
  const [minMinor, maxMinor] = from !== undefined && to !== undefined && from > to ? [to, from] : [from, to];
  const key = text('key');
  return consistent({
    status: oneOf(filterStatuses, text('status')),
    kind: oneOf(operationNames, text('kind')),
    outcome: oneOf(outcomes, text('outcome')),
    olderThanMinutes: readSpan(text('older')),
    youngerThanMinutes: readSpan(text('younger')),
    currency,
    minMinor,
    maxMinor,
    errorCode: text('error'),
    reference: text('reference'),
    key: key && key.length >= shortestKeyPrefix ? key : undefined,
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

/** Only an unknown operation can be in the queue, be due for a check, or have been unknown for longest. */
export function consistent(filter: OperationFilter): OperationFilter {
  return filter.escalated || filter.due || filter.sort === 'unknown'
    ? { ...filter, status: 'unknown' }
    : filter;
}

/** One spelling for one filter, so that equal filters have equal addresses. */
export function writeFilter(filter: OperationFilter): string {
  const entries: [string, string | undefined][] = [
    ['q', filter.search],
    ['status', filter.status],
    ['kind', filter.kind],
    ['outcome', filter.outcome],
    ['older', spanOf(filter.olderThanMinutes)],
    ['younger', spanOf(filter.youngerThanMinutes)],
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
/** Ten years: whoever asks for more wants everything. */
export const longestSpan = 10 * 365 * spanUnits.d;

/** `90m`, `24h` and `7d`, as people write them. In minutes. */
export function readSpan(text: string | undefined): number | undefined {
  const found = /^(\d{1,7})([mhd])$/.exec(text ?? '');
  if (!found) return undefined;
  const minutes = Number(found[1]) * spanUnits[found[2] as keyof typeof spanUnits];
  return minutes > 0 && minutes <= longestSpan ? minutes : undefined;
}

export function writeSpan(minutes: number): string {
  if (minutes % spanUnits.d === 0) return `${minutes / spanUnits.d}d`;
  return minutes % spanUnits.h === 0 ? `${minutes / spanUnits.h}h` : `${minutes}m`;
}

function spanOf(minutes: number | undefined): string | undefined {
  return minutes === undefined ? undefined : writeSpan(minutes);
}

/** A decimal as people write it, in minor units. Without a currency there is no telling what a minor unit is. */
export function readAmount(text: string | undefined, currency: Currency | undefined): number | undefined {
  const found = /^(\d{1,9})(?:[.,](\d{1,3}))?$/.exec(text ?? '');
  if (!found || !currency) return undefined;
  const { exponent } = currencies[currency];
  const fraction = (found[2] ?? '').slice(0, exponent).padEnd(exponent, '0');
  return Number(`${found[1]}${fraction}`);
}

export function writeAmount(amountMinor: number | undefined, currency: Currency | undefined) {
  if (amountMinor === undefined || !currency) return undefined;
  const { exponent } = currencies[currency];
  const digits = String(amountMinor).padStart(exponent + 1, '0');
  const whole = digits.slice(0, digits.length - exponent);
  return exponent === 0 ? whole : `${whole}.${digits.slice(-exponent)}`;
}

/** Long enough for every key, id and address there is. */
const longestText = 300;

function textOf(value: string | readonly string[] | undefined): string | undefined {
  const [first] = typeof value === 'string' ? [value] : (value ?? []);
  // PostgreSQL has no NUL in its text.
  const text = first?.replaceAll('\0', '').trim().slice(0, longestText);
  return text || undefined;
}

function oneOf<T extends string>(list: readonly T[], wanted: string | undefined): T | undefined {
  return list.find((one) => one === wanted);
}
