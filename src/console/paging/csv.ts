/**
 * A spreadsheet executes a cell that begins like this as a formula. Where the decimal separator is a comma, spreadsheets
 * separate cells by semicolons and ignore our quotes, so a cell also begins after a semicolon, a tab or a line break.
 */
const formula = /(^|[;\t\r\n\u2028\u2029])(?=\s*[=+\-@\t\r＝＋－＠])/g;

/**
 * A line of CSV (RFC 4180). User input must not become a formula on an auditor's machine: an apostrophe before it makes
 * spreadsheets show it as text.
 */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map((cell) => quoted(cell)).join(',')}\r\n`;
}

function quoted(cell: string | number | null): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = cell.replace(formula, "$1'");
  return /[",\r\n\u2028\u2029]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
