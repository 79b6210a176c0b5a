import { type Cursor, readCursor, writeCursor } from './cursor.ts';

/** Where a page begins: after one place in the order, or before it. Neither means at the beginning. */
export interface Place {
  readonly after?: Cursor | undefined;
  readonly before?: Cursor | undefined;
}

export interface At {
  readonly cursor: Cursor;
  readonly side: 'after' | 'before';
}

export function atOf({ after, before }: Place): At | undefined {
  if (before) return { cursor: before, side: 'before' };
  return after && { cursor: after, side: 'after' };
}

/** From the parameters of an address or a request. */
export function readPlace(params: {
  after?: string | undefined;
  before?: string | undefined;
}): Required<Place> {
  return { after: readCursor(params.after), before: readCursor(params.before) };
}

/**
 * A page out of what was read for it: one row more than it holds, which says whether there is another page, in the order
 * in which it was read, which is the opposite one for a page before a place. An empty page still leads back to where one
 * came from.
 */
export function cutPage<Row>(
  read: readonly Row[],
  request: Place & { readonly limit: number },
  cursorOf: (row: Row) => string | undefined,
  /** Where the scan ended, if it ended before the page was full. */
  stopped?: string,
): { rows: Row[]; next: string | undefined; previous: string | undefined } {
  const { after, before, limit } = request;
  const kept = read.slice(0, limit);
  const last = kept.at(-1);
  const onward = read.length > limit ? last && cursorOf(last) : stopped;
  const rows = before ? kept.toReversed() : kept;
  const [first, final] = [rows[0], rows.at(-1)];
  if (before) return { rows, next: final ? cursorOf(final) : writeCursor(before), previous: onward };
  return { rows, next: onward, previous: after && (first ? cursorOf(first) : writeCursor(after)) };
}
