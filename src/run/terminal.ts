import { describe, isDiskError, PlainError } from './plain-error.ts';

// The only place that writes to the terminal.

const interactive = process.stdout.isTTY === true;
const coloured = interactive && process.env.NO_COLOR === undefined;
// The progress line goes where a person sees it, also when the output itself goes to a file: `npm run lab -- all --json > runs.json`.
const statusStream = interactive ? process.stdout : process.stderr.isTTY ? process.stderr : undefined;
let status = '';

// A closed pipe (`npm start | head`) must not stop the app.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

function write(stream: NodeJS.WriteStream, text: string): void {
  if (status !== '') statusStream?.write('\r\u001b[K');
  stream.write(`${text}\n`);
  if (status !== '') statusStream?.write(status);
}

export function print(text: string): void {
  write(process.stdout, text);
}

export function printError(text: string): void {
  write(process.stderr, text);
}

// The last line, which shows the steps under way. It is rewritten in place, so it is shown only on a terminal.
export function showStatus(text: string): void {
  if (!statusStream) return;
  statusStream.write('\r\u001b[K');
  status = text === '' ? '' : dim(text.slice(0, (statusStream.columns || 80) - 1));
  statusStream.write(status);
}

function paint(code: number): (text: string) => string {
  return (text) => (coloured ? `\u001b[${code}m${text}\u001b[0m` : text);
}

export const bold = paint(1);
export const dim = paint(2);
export const red = paint(31);
export const green = paint(32);
export const yellow = paint(33);

// All commands of this folder behave alike: --help prints the usage, an expected error is one sentence with its own exit
// code, and an unexpected one is printed with its stack.
export async function runCommand(help: string, command: (args: string[]) => Promise<void>): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) return print(help);
  try {
    await command(args);
  } catch (error) {
    showStatus('');
    const expected = error instanceof PlainError || isDiskError(error);
    printError(red(expected ? describe(error) : ((error as Error)?.stack ?? String(error))));
    process.exitCode = error instanceof PlainError ? error.exitCode : 1;
  }
}
