import path from 'node:path';

// Every path is relative to the checkout, not to the working directory, so that the commands work from any directory.
export const checkout = path.resolve(import.meta.dirname, '../..');

export function inCheckout(...segments: string[]): string {
  return path.join(checkout, ...segments);
}

// For messages: relative to the working directory if the file is below it, else absolute.
export function shortPath(file: string): string {
  const relative = path.relative(process.cwd(), file);
  return relative.startsWith('..') ? file : relative;
}
