/**
 * What the page's calls leave through: the browser's own fetch, unless the demo bar has laid its line over it. Nobody
 * else does, and without the bar there is nothing here but one question.
 */
export type Wire = (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;

let laid: Wire | undefined;

/** Returns what takes it away again. */
export function layLine(line: Wire): () => void {
  laid = line;
  return () => {
    if (laid === line) laid = undefined;
  };
}

/** tRPC has a narrower notion of a request's options; the browser takes both. */
export function wire(input: RequestInfo | URL, init?: object): Promise<Response> {
  return (laid ?? fetch)(input, init);
}
