import { formatMoney } from '#payments/money.ts';
import { type OperationFilter, type Sort, writeFilter, writeSpan } from '#console/operations-list/operation-filter.ts';
import { codeWords } from '#ui/admin/code-copy.ts';
import { kindWords, outcomeWords } from '#ui/admin/operation-copy.ts';

export const sortWords: Record<Sort, string> = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  amount: 'Largest amount first',
  unknown: 'Unknown for longest first',
};

export interface Chip {
  readonly words: string;
  /** The list without this filter. */
  readonly href: string;
}

/** Each filter in words, to be taken away one by one. The status has its tabs. */
export function chipsOf(
  filter: OperationFilter,
  shops: readonly { slug: string; name: string }[],
): readonly Chip[] {
  const { currency } = filter;
  const amount = (minor: number) =>
    currency ? formatMoney({ amountMinor: minor, currency }) : String(minor);
  const all: readonly (readonly [keyof OperationFilter, string | undefined])[] = [
    ['search', filter.search && `Search: ${filter.search}`],
    ['kind', filter.kind && kindWords(filter.kind)],
    ['outcome', filter.outcome && outcomeWords(filter.outcome)],
    ['olderThanMinutes', span(filter.olderThanMinutes, (words) => `Older than ${words}`)],
    ['youngerThanMinutes', span(filter.youngerThanMinutes, (words) => `Younger than ${words}`)],
    ['currency', currency?.toUpperCase()],
    ['minMinor', filter.minMinor === undefined ? undefined : `At least ${amount(filter.minMinor)}`],
    ['maxMinor', filter.maxMinor === undefined ? undefined : `At most ${amount(filter.maxMinor)}`],
    ['errorCode', filter.errorCode && codeWords(filter.errorCode)],
    ['reference', filter.reference && `Reference ${filter.reference}…`],
    ['key', filter.key && `Key ${filter.key.slice(0, 8)}…`],
    ['escalated', filter.escalated && 'In the operators’ queue'],
    ['due', filter.due && 'An automatic look is due'],
    [
      'misused',
      filter.misused === 'ever'
        ? 'Key misused'
        : span(filter.misused, (words) => `Key misused in the last ${words}`),
    ],
    [
      'doubtedWithinMinutes',
      span(filter.doubtedWithinMinutes, (words) => `Became unknown in the last ${words}`),
    ],
    [
      'knownWithinMinutes',
      span(filter.knownWithinMinutes, (words) => `Unknown, and known in the last ${words}`),
    ],
    ['shop', filter.shop && (shops.find(({ slug }) => slug === filter.shop)?.name ?? 'All shops')],
    ['sort', filter.sort === 'newest' ? undefined : sortWords[filter.sort]],
  ];
  return all
    .filter((entry): entry is [keyof OperationFilter, string] => entry[1] !== undefined)
    .map(([name, words]) => ({ words, href: hrefOf(without(filter, name)) }));
}

function span(minutes: number | undefined, words: (span: string) => string): string | undefined {
  return minutes === undefined ? undefined : words(writeSpan(minutes));
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

/** Another status, the rest as it is; what only unknown ones can be is let go. */
export function hrefOfStatus(filter: OperationFilter, status: OperationFilter['status']): string {
  const sort = filter.sort === 'unknown' && status !== 'unknown' ? 'newest' : filter.sort;
  const onlyUnknown = status === 'unknown' ? {} : { escalated: undefined, due: undefined };
  return hrefOf({ ...filter, status, ...onlyUnknown, sort });
}
