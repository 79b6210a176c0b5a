import { Prisma } from '#prisma';
import { type DayRange, startOfDay, startOfNextDay } from '../paging/days.ts';
import type { OperationFilter } from './operation-filter.ts';

const { sql, empty } = Prisma;
type Sql = Prisma.Sql;

/** The filter without its selective parts, as conditions on a row of `details`. */
export function rowConditions(filter: OperationFilter): Sql {
  return sql`
    ${filter.status ? sql`AND r.status = ${filter.status}` : empty}
    ${filter.kind ? sql`AND r.operation = ${filter.kind}` : empty}
    ${filter.escalated ? sql`AND r.escalated_at IS NOT NULL` : empty}
    ${filter.due ? sql`AND r.next_check_at <= now()` : empty}
    ${filter.errorCode ? sql`AND r.last_error_code = ${filter.errorCode}` : empty}
    ${filter.outcome ? sql`AND m.status = ${filter.outcome}` : empty}
    ${filter.currency ? sql`AND m.currency = ${filter.currency}` : empty}
    ${amountRange(filter, sql`m.amount_minor`)} ${ageRange(filter, sql`r.created_at`)}`;
}

/** Whether the filter uses only columns of the record's indexes: kind, status, error, age and queue. */
export function needsOnlyRecord(filter: OperationFilter): boolean {
  const { outcome, minMinor, maxMinor, currency, due } = filter;
  return [outcome, minMinor, maxMinor, currency, due].every((value) => value === undefined);
}

export function amountRange({ minMinor, maxMinor }: OperationFilter, amount: Sql): Sql {
  return sql`
    ${minMinor === undefined ? empty : sql`AND ${amount} >= ${minMinor}::bigint`}
    ${maxMinor === undefined ? empty : sql`AND ${amount} <= ${maxMinor}::bigint`}`;
}

export function hasAgeRange(filter: OperationFilter): boolean {
  const { olderThanMinutes, youngerThanMinutes, from, to } = filter;
  return [olderThanMinutes, youngerThanMinutes, from, to].some((value) => value !== undefined);
}

export function ageRange(filter: OperationFilter, at: Sql): Sql {
  const { olderThanMinutes, youngerThanMinutes } = filter;
  return sql`${dayRange(filter, at)}
    ${olderThanMinutes === undefined ? empty : sql`AND ${at} <= ${ago(olderThanMinutes)}`}
    ${youngerThanMinutes === undefined ? empty : sql`AND ${at} > ${ago(youngerThanMinutes)}`}`;
}

/** From the beginning of the first day to the end of the last one. */
export function dayRange({ from, to, zone }: DayRange, at: Sql): Sql {
  return sql`
    ${from ? sql`AND ${at} >= ${startOfDay(from, zone)}::timestamptz` : empty}
    ${to ? sql`AND ${at} < ${startOfNextDay(to, zone)}::timestamptz` : empty}`;
}

/** now(), not clock_timestamp(): it is stable within the statement, so an index condition can use it. */
export function ago(minutes: number): Sql {
  return sql`now() - ${minutes}::int * interval '1 minute'`;
}
