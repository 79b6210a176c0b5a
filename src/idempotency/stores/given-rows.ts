import type { OperationRef } from '../record.ts';
import type { ColumnType, RowWrite } from '../row-statement.ts';
import type { Statement, StatementOf } from './sql-driver.ts';

/** One value of each item of a statement. */
export interface GivenColumn<Item> {
  readonly name: string;
  readonly type: string;
  readonly read: (item: Item) => unknown;
}

/** A query that returns the items of a statement as rows, and its parameters. `relation` is the same as a WITH query `given`. */
export interface GivenRows<Item> {
  readonly query: string;
  readonly relation: string;
  valuesOf(items: readonly Item[]): unknown[];
}

/** How many items a statement is written for. */
export type ItemCount = 'one' | 'many';

/**
 * Many items are arrays, so that the text of the statement does not depend on their number. One item is a row of plain
 * parameters: PostgreSQL puts them into its plan as constants, and needs neither a function scan nor a join for them.
 */
export function givenRows<Item>(
  columns: readonly GivenColumn<Item>[],
  firstParameter: number,
  count: ItemCount,
): GivenRows<Item> {
  const parameter = ({ type }: GivenColumn<Item>, index: number) => `$${firstParameter + index}::${type}`;
  if (count === 'one') {
    const values = columns.map((column, index) => `${parameter(column, index)} AS ${column.name}`);
    const query = `SELECT ${values.join(', ')}`;
    return {
      query,
      relation: `given AS NOT MATERIALIZED (${query})`,
      valuesOf: (items) => columns.map(({ read }) => (items[0] === undefined ? null : read(items[0]))),
    };
  }
  const arrays = columns.map((column, index) => `${parameter(column, index)}[]`);
  const names = columns.map(({ name }) => name);
  const query = `SELECT * FROM unnest(${arrays.join(', ')}) AS given (${names.join(', ')})`;
  return {
    query,
    relation: `given AS (${query})`,
    valuesOf: (items) => columns.map(({ read }) => items.map(read)),
  };
}

/** Writes a statement twice, each when it is first needed: for a caller alone, and for callers that share it. */
export function forOneOrMany<Item>(write: (count: ItemCount) => StatementOf<Item>): StatementOf<Item> {
  let one: StatementOf<Item> | undefined;
  let many: StatementOf<Item> | undefined;
  return (items): Statement => {
    if (items.length === 1) {
      one ??= write('one');
      return one(items);
    }
    many ??= write('many');
    return many(items);
  };
}

export interface RecordedRow {
  readonly record: OperationRef;
  readonly write: RowWrite;
}

/**
 * The common table expressions of a row statement. `changed` is the relation of records that were changed, with
 * `tenant_id` and `id`; without it all rows count. `firstParameter` is the number of the first free parameter.
 */
export function rowsFragment(
  statement: RowWrite['statement'],
  firstParameter: number,
  count: ItemCount,
  changed?: string,
): { readonly text: string; valuesOf(writes: readonly RecordedRow[]): unknown[] } {
  const columns = Object.entries(statement.columns) as [string, ColumnType][];
  const given = givenRows<RecordedRow>(
    [
      { name: 'tenant_id', type: 'text', read: ({ record }) => record.tenantId },
      { name: 'record_id', type: 'uuid', read: ({ record }) => record.id },
      ...columns.map(([name, type]) => ({
        name,
        type,
        read: ({ write }: RecordedRow) => write.row[name] ?? null,
      })),
    ],
    firstParameter,
    count,
  );
  const relation = changed
    ? `SELECT given.* FROM (${given.query}) AS given
      JOIN ${changed} ON ${changed}.tenant_id = given.tenant_id AND ${changed}.id = given.record_id`
    : given.query;
  return { text: `rows AS (${relation}),\n${statement.sql.trim()}`, valuesOf: given.valuesOf };
}
