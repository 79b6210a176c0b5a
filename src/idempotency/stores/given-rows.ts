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
  const [first, ...others] = columns as readonly [GivenColumn<Item>, ...GivenColumn<Item>[]];
  const elements = others.map(
    (column, index) => `(${parameter(column, index + 1)}[])[place] AS ${column.name}`,
  );
  // Only the first array is unnested: PostgreSQL would keep a list of its own for each, and read them side by side. OFFSET 0 keeps
  // the places out of the conditions of joins, where they would hide from the planner which index fits.
  const query = `SELECT ${[first.name, ...elements].join(', ')}
    FROM unnest(${parameter(first, 0)}[]) WITH ORDINALITY AS item (${first.name}, place) OFFSET 0`;
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

/** The columns of a row statement, as columns of the items that it belongs to. */
export function rowColumns<Item>(
  statement: RowWrite['statement'],
  rowsOf: (item: Item) => RowWrite | undefined,
): GivenColumn<Item>[] {
  const columns = Object.entries(statement.columns) as [string, ColumnType][];
  return columns.map(([name, type]) => ({
    name: `row_${name}`,
    type,
    read: (item) => rowsOf(item)?.row[name] ?? null,
  }));
}

/**
 * The common table expressions of a row statement. `from` is a relation with the columns of the items, as a FROM clause names
 * it: it has a row for each record that was changed.
 */
export function rowsFragment(statement: RowWrite['statement'], from: string): string {
  const columns = Object.keys(statement.columns).map((name) => `row_${name} AS ${name}`);
  const relation = `SELECT ${['tenant_id', 'id AS record_id', ...columns].join(', ')} FROM ${from}`;
  return `rows AS (${relation}),\n${statement.sql.trim()}`;
}
