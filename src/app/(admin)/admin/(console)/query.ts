import { findUnsafeText } from '#payments/unsafe-text.ts';

export type Query = Promise<Record<string, string | string[] | undefined>>;

/** Reads a parameter of the address: the first of several, and undefined for one that is empty or no text. */
export async function readQuery(query: Query): Promise<(name: string) => string | undefined> {
  const read = await query;
  return (name) => {
    const value = read[name];
    const text = Array.isArray(value) ? value[0] : value;
    return text && !findUnsafeText(text) ? text : undefined;
  };
}

/** The address of a page with these parameters; empty ones are left out. */
export function addressOf(path: string, query: Record<string, string | undefined>): string {
  const kept = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  const text = new URLSearchParams(kept).toString();
  return text ? `${path}?${text}` : path;
}

/** A position in a list, from the address. What is too long to be one gives the first page. */
export function cursorOf(text: string | undefined): string | undefined {
  return text && text.length <= 60 ? text : undefined;
}
