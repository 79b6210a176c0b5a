export type Query = Promise<Record<string, string | string[] | undefined>>;

/** Reads a parameter of the address: the first of several, and undefined for an empty one. */
export async function readQuery(query: Query): Promise<(name: string) => string | undefined> {
  const read = await query;
  return (name) => {
    const value = read[name];
    return (Array.isArray(value) ? value[0] : value) || undefined;
  };
}

/** The address of a page with these parameters; empty ones are left out. */
export function addressOf(path: string, query: Record<string, string | undefined>): string {
  const kept = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  const text = new URLSearchParams(kept).toString();
  return text ? `${path}?${text}` : path;
}
