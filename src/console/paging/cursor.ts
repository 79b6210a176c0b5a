/**
 * Where a page of a list ends: the sort value and the id of its last row, a unique position in the order. The next page
 * selects what comes after it, so it costs as much as the first page, and new rows do not shift it.
 */
export interface Cursor {
  /** Microseconds since 1970, or minor units. A JavaScript date would lose the microseconds and so skip rows. */
  readonly value: number;
  readonly id: string;
}

/** From the URL. An invalid cursor gives the first page. */
export function readCursor(text: string | undefined): Cursor | undefined {
  const found = /^([0-9a-z]{1,11})_([0-9a-f]{32})$/.exec(text ?? '');
  if (!found?.[1] || !found[2]) return undefined;
  const value = Number.parseInt(found[1], 36);
  if (!Number.isSafeInteger(value) || value > latestMicros) return undefined;
  return { value, id: found[2].replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5') };
}

export function writeCursor({ value, id }: Cursor): string {
  return `${value.toString(36)}_${id.replaceAll('-', '')}`;
}

/** The year 2100. A later time is not one that we wrote. */
const latestMicros = Date.UTC(2100, 0, 1) * 1_000;

/** A timestamp for PostgreSQL, to the microsecond. */
export function instantOf(micros: number): string {
  const ms = Math.floor(micros / 1_000);
  const rest = String(micros % 1_000).padStart(3, '0');
  return new Date(ms).toISOString().replace('Z', `${rest}Z`);
}
