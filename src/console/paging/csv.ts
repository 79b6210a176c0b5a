/** A spreadsheet takes a cell that begins like this for a formula, and runs it. */
const formula = /^[=+\-@\t\r]/;

/**
 * Rows for a spreadsheet (RFC 4180). What somebody typed must not become a formula on an auditor's machine: such a cell
 * gets an apostrophe before it, which spreadsheets show as text.
 */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map((cell) => quoted(cell)).join(',')}\r\n`;
}

function quoted(cell: string | number | null): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = formula.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
