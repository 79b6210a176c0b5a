import {
  type OperationFilter,
  type Outcome,
  type Sort,
  writeFilter,
  writeSpan,
} from '#console/operations-list/operation-filter.ts';
import { formatMoney } from '#payments/money.ts';
import { codeCopy } from '#ui/admin/code-copy.ts';
import { kindCopy } from '#ui/admin/operation-copy.ts';

export const sortCopy: Record<Sort, string> = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  amount: 'Largest amount first',
  unknown: 'Unknown for longest first',
};

/** For payments and refunds together; a row has the outcome in the terms of its own kind. */
export const outcomeLabels: Record<Outcome, string> = {
  succeeded: 'Paid',
  declined: 'Declined',
  pending: 'Not decided',
  released: 'Not charged',
};

export interface Chip {
  readonly label: string;
  /** The list without this filter. */
  readonly href: string;
}

/** Each filter as text, with the list without it. The status has its tabs. */
export function chipsOf(
  filter: OperationFilter,
  shops: readonly { slug: string; name: string }[],
): readonly Chip[] {
  const { currency } = filter;
  const amount = (minor: number) =>
    currency ? formatMoney({ amountMinor: minor, currency }) : String(minor);
  const all: readonly (readonly [keyof OperationFilter, string | undefined])[] = [
    ['search', filter.search && `Search: ${filter.search}`],
    ['kind', filter.kind && kindCopy(filter.kind)],
    ['outcome', filter.outcome && outcomeLabels[filter.outcome]],
    ['olderThanMinutes', span(filter.olderThanMinutes, (time) => `Older than ${time}`)],
    ['youngerThanMinutes', span(filter.youngerThanMinutes, (time) => `Younger than ${time}`)],
    ['from', filter.from && `From ${filter.from}`],
    ['to', filter.to && `To ${filter.to}`],
    ['currency', currency?.toUpperCase()],
    ['minMinor', filter.minMinor === undefined ? undefined : `At least ${amount(filter.minMinor)}`],
    ['maxMinor', filter.maxMinor === undefined ? undefined : `At most ${amount(filter.maxMinor)}`],
    ['errorCode', filter.errorCode && codeCopy(filter.errorCode)],
    ['reference', filter.reference && `Reference ${filter.reference}…`],
    ['key', filter.key && `Key ${filter.key.slice(0, 8)}…`],
    ['escalated', filter.escalated && 'In the operators’ queue'],
    ['due', filter.due && 'Automatic check due'],
    [
      'misused',
      filter.misused === 'ever'
        ? 'Key misused'
        : span(filter.misused, (time) => `Key misused in the last ${time}`),
    ],
    [
      'becameUnknownWithinMinutes',
      span(filter.becameUnknownWithinMinutes, (time) => `Became unknown in the last ${time}`),
    ],
    [
      'resolvedWithinMinutes',
      span(filter.resolvedWithinMinutes, (time) => `Resolved from unknown in the last ${time}`),
    ],
    ['shop', filter.shop && (shops.find(({ slug }) => slug === filter.shop)?.name ?? 'All shops')],
    ['sort', filter.sort === 'newest' ? undefined : sortCopy[filter.sort]],
  ];
  return all
    .filter((entry): entry is [keyof OperationFilter, string] => entry[1] !== undefined)
    .map(([name, label]) => ({ label, href: hrefOf(without(filter, name)) }));
}

function span(minutes: number | undefined, label: (span: string) => string): string | undefined {
  return minutes === undefined ? undefined : label(writeSpan(minutes));
}

function without(filter: OperationFilter, name: keyof OperationFilter): OperationFilter {
  if (name === 'sort') return { ...filter, sort: 'newest' };
  // Amounts mean nothing without their currency.
  const amounts = name === 'currency' ? { minMinor: undefined, maxMinor: undefined } : {};
  return { ...filter, [name]: undefined, ...amounts };
}

export function hrefOf(filter: OperationFilter, place?: { after: string } | { before: string }): string {
  const query = [writeFilter(filter), place && new URLSearchParams(place).toString()]
    .filter(Boolean)
    .join('&');
  return query === '' ? '/admin/operations' : `/admin/operations?${query}`;
}

/** Another status and the same filters, without those that only unknown operations can match. */
export function hrefOfStatus(filter: OperationFilter, status: OperationFilter['status']): string {
  const sort = filter.sort === 'unknown' && status !== 'unknown' ? 'newest' : filter.sort;
  const onlyUnknown = status === 'unknown' ? {} : { escalated: undefined, due: undefined };
  return hrefOf({ ...filter, status, ...onlyUnknown, sort });
}
