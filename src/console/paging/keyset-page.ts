import { type Cursor, readCursor, writeCursor } from './cursor.ts';

/** The requested page begins after one cursor or ends before another. Without either it is the first page. */
export interface PageCursors {
  readonly after?: Cursor | undefined;
  readonly before?: Cursor | undefined;
}

/** The cursor that a page is read from, and the side of it on which the page lies. */
export interface Seek {
  readonly cursor: Cursor;
  readonly side: 'after' | 'before';
}

export function seekOf({ after, before }: PageCursors): Seek | undefined {
  if (before) return { cursor: before, side: 'before' };
  return after && { cursor: after, side: 'after' };
}

/** From the parameters of a URL or a request. */
export function readPageCursors(params: {
  after?: string | undefined;
  before?: string | undefined;
}): Required<PageCursors> {
  return { after: readCursor(params.after), before: readCursor(params.before) };
}

/**
 * Cuts the page out of the rows that were read for it: one more than the page holds, which shows whether there is a
 * further page, and in reverse order for a page before a cursor. An empty page still has the cursor to go back.
 */
export function cutPage<Row>(
  read: readonly Row[],
  request: PageCursors & { readonly limit: number },
  cursorOf: (row: Row) => string | undefined,
  /** Where the scan ended, if it ended before the page was full. */
  stopped?: string,
): { rows: Row[]; next: string | undefined; previous: string | undefined } {
  const { after, before, limit } = request;
  const kept = read.slice(0, limit);
  const last = kept.at(-1);
  const further = read.length > limit ? last && cursorOf(last) : stopped;
  const rows = before ? kept.toReversed() : kept;
  const [first, final] = [rows[0], rows.at(-1)];
  if (before) return { rows, next: final ? cursorOf(final) : writeCursor(before), previous: further };
  return { rows, next: further, previous: after && (first ? cursorOf(first) : writeCursor(after)) };
}
