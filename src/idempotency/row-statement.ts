import type { OperationRef } from './record.ts';

/**
 * Domain writes as rows of a set-based statement. The store puts the statement into the one that changes the record, so
 * both commit together in one round trip, and callers can share it (see `stores/batch.ts`).
 *
 * `sql` is a list of common table expressions. They read the relation `rows`, which has `tenant_id`, `record_id` and the
 * declared columns, with one row for each record that was changed; rows of superseded owners are not in it. They may end
 * in a relation `result` with `tenant_id`, `record_id` and all other columns that the caller needs.
 *
 * One row must not make the statement fail for its neighbours if that can be avoided: prefer `ON CONFLICT DO NOTHING` and
 * conditions to errors. Insert and update in a fixed order, so that two statements cannot deadlock.
 */
export interface RowStatement<Row extends RowValues, Result = undefined> {
  /** Unique, and short: it is part of the name of a prepared statement. */
  readonly name: string;
  readonly columns: { readonly [Column in keyof Row]: ColumnType };
  readonly sql: string;
  /** Reads the JSON of a row of `result`. Without it the statement returns nothing. */
  readonly resultOf?: (json: never) => Result;
}

export type ColumnType = 'text' | 'uuid' | 'bigint' | 'integer' | 'boolean' | 'jsonb';
export type RowValues = Readonly<Record<string, string | number | boolean | null>>;

/** One caller's row for a statement. */
export interface RowWrite {
  readonly statement: RowStatement<RowValues, unknown>;
  readonly row: RowValues;
}

export function rowWrite<Row extends RowValues, Result>(
  statement: RowStatement<Row, Result>,
  row: Row,
): RowWrite {
  return { statement: statement as unknown as RowStatement<RowValues, unknown>, row };
}

/** Domain writes that commit with a change of the record: rows, which callers share, or any code in a transaction. */
export type DomainWrites<Tx> = RowWrite | ((tx: Tx) => Promise<void>);

/** SQL to be put into a larger statement, and its parameters. */
export interface RowsFragment {
  readonly text: string;
  valuesOf(writes: readonly RecordedRow[]): unknown[];
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
  changed?: string,
): RowsFragment {
  const columns = Object.entries(statement.columns) as [string, ColumnType][];
  const types = ['text', 'uuid', ...columns.map(([, type]) => type)];
  const arrays = types.map((type, index) => `$${firstParameter + index}::${type}[]`);
  const names = ['tenant_id', 'record_id', ...columns.map(([name]) => name)];
  const given = `SELECT * FROM unnest(${arrays.join(', ')}) AS given (${names.join(', ')})`;
  const relation = changed
    ? `SELECT given.* FROM (${given}) AS given
      JOIN ${changed} ON ${changed}.tenant_id = given.tenant_id AND ${changed}.id = given.record_id`
    : given;
  return {
    text: `rows AS (${relation}),\n${statement.sql.trim()}`,
    valuesOf: (writes) => [
      writes.map(({ record }) => record.tenantId),
      writes.map(({ record }) => record.id),
      ...columns.map(([name]) => writes.map(({ write }) => write.row[name] ?? null)),
    ],
  };
}
