/**
 * Where a page of a list ends: the sort value of its last row and that row's id, which together name one place in the
 * order. The next page asks for what comes after that place, so it costs what the first one did, and rows that arrive
 * meanwhile push nothing from one page to the next.
 */
export interface Cursor {
  /** Microseconds since 1970, or minor units. JavaScript's dates would lose the microseconds, and with them rows. */
  readonly value: number;
  readonly id: string;
}

/** What may stand in an address: read forgivingly, nonsense means the first page. */
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

/** The year 2100. Beyond it is nothing but mischief. */
const latestMicros = Date.UTC(2100, 0, 1) * 1_000;

/** For PostgreSQL, to the microsecond. */
export function instantOf(micros: number): string {
  const ms = Math.floor(micros / 1_000);
  const rest = String(micros % 1_000).padStart(3, '0');
  return new Date(ms).toISOString().replace('Z', `${rest}Z`);
}
