import { Prisma } from '#prisma';
import type { OperationFilter } from './operation-filter.ts';

const { sql, empty } = Prisma;
type Sql = Prisma.Sql;

/** The whole filter except its selective parts, on a row of `details`. */
export function filterOf(filter: OperationFilter): Sql {
  return sql`
    ${filter.status ? sql`AND r.status = ${filter.status}` : empty}
    ${filter.kind ? sql`AND r.operation = ${filter.kind}` : empty}
    ${filter.escalated ? sql`AND r.escalated_at IS NOT NULL` : empty}
    ${filter.due ? sql`AND r.next_check_at <= now()` : empty}
    ${filter.errorCode ? sql`AND r.last_error_code = ${filter.errorCode}` : empty}
    ${filter.outcome ? sql`AND m.status = ${filter.outcome}` : empty}
    ${filter.currency ? sql`AND m.currency = ${filter.currency}` : empty}
    ${range(filter, sql`m.amount_minor`)} ${age(filter, sql`r.created_at`)}`;
}

/** Whether the record's indexes can decide the filter, but for its kind, status, error, age and queue. */
export function isOfTheRecord(filter: OperationFilter): boolean {
  const { outcome, minMinor, maxMinor, currency, due } = filter;
  return [outcome, minMinor, maxMinor, currency, due].every((one) => one === undefined);
}

export function range({ minMinor, maxMinor }: OperationFilter, amount: Sql): Sql {
  return sql`
    ${minMinor === undefined ? empty : sql`AND ${amount} >= ${minMinor}::bigint`}
    ${maxMinor === undefined ? empty : sql`AND ${amount} <= ${maxMinor}::bigint`}`;
}

export function hasAge({ olderThanMinutes, youngerThanMinutes }: OperationFilter): boolean {
  return olderThanMinutes !== undefined || youngerThanMinutes !== undefined;
}

export function age({ olderThanMinutes, youngerThanMinutes }: OperationFilter, at: Sql): Sql {
  return sql`
    ${olderThanMinutes === undefined ? empty : sql`AND ${at} <= ${ago(olderThanMinutes)}`}
    ${youngerThanMinutes === undefined ? empty : sql`AND ${at} > ${ago(youngerThanMinutes)}`}`;
}

/** now(), not clock_timestamp(): it stands still within the statement, so an index can be asked with it. */
export function ago(minutes: number): Sql {
  return sql`now() - ${minutes}::int * interval '1 minute'`;
}
