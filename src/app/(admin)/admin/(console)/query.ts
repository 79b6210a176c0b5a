export type Query = Promise<Record<string, string | string[] | undefined>>;

/** What the address says, each thing once, and nothing for what was left empty. */
export async function readQuery(query: Query): Promise<(name: string) => string | undefined> {
  const read = await query;
  return (name) => {
    const value = read[name];
    return (Array.isArray(value) ? value[0] : value) || undefined;
  };
}

/** An address of the same page with other questions. */
export function addressOf(path: string, query: Record<string, string | undefined>): string {
  const kept = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  const text = new URLSearchParams(kept).toString();
  return text ? `${path}?${text}` : path;
}
