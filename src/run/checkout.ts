import path from 'node:path';

// Every path is counted from the checkout, never from the working directory: the commands work from anywhere.
export const checkout = path.resolve(import.meta.dirname, '../..');

export function inCheckout(...segments: string[]): string {
  return path.join(checkout, ...segments);
}

// For people: relative where that is shorter than the whole path, never a climb through "../..".
export function shortPath(file: string): string {
  const relative = path.relative(process.cwd(), file);
  return relative.startsWith('..') ? file : relative;
}
