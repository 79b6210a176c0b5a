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
