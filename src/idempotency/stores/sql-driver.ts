/** What the PostgreSQL store needs of a client. `Tx` is the client's own handle of an open transaction. */
export interface SqlDriver<Tx> {
  /** One statement, which commits by itself. */
  query<Row>(statement: Statement): Promise<Row[]>;
  /** One statement within an open transaction. */
  queryIn<Row>(tx: Tx, statement: Statement): Promise<Row[]>;
  /** Fails if it was rolled back, also if the work has hidden the failure of a statement. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * The database could not be reached, or did not say how the statement ended, so it may or may not have been committed.
   * False only if PostgreSQL itself refused the statement.
   */
  isUnavailable(error: unknown): boolean;
}

export interface Statement {
  /** Statements with the same name have the same text, so that a client may prepare them. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * Makes the statement for any number of items. Its text is written once, because that takes longer than collecting the
 * values, and a client recognises the same text by its address.
 */
export type StatementOf<Item> = (items: readonly [Item, ...Item[]]) => Statement;
