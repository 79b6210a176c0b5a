/** Strings, those that are names with their colon, and the brackets around objects and lists. */
const tokens = /"(?:[^"\\]|\\.)*"(?<colon>\s*:)?|[[\]{}]/g;

/**
 * The first name that an object has twice. Programs differ in which of the two values they take, so what a proxy or a log on
 * the way saw may be another command than ours. The text has to be JSON.
 */
export function findRepeatedName(json: string): string | undefined {
  /** The names of the objects around the token; a list has none. */
  const around: Set<string>[] = [];
  for (const { 0: token, groups } of json.matchAll(tokens)) {
    if (token === '{' || token === '[') around.push(new Set());
    else if (token === '}' || token === ']') around.pop();
    else if (groups?.colon !== undefined) {
      const name = JSON.parse(token.slice(0, -groups.colon.length)) as string;
      const names = around.at(-1);
      if (names?.has(name)) return name;
      names?.add(name);
    }
  }
  return undefined;
}
