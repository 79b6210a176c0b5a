/** The fetch of the page's calls: the browser's own, unless the demo bar has replaced it. */
export type Transport = (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;

let replacement: Transport | undefined;

/** Returns a function that restores the browser's fetch. */
export function replaceTransport(by: Transport): () => void {
  replacement = by;
  return () => {
    if (replacement === by) replacement = undefined;
  };
}

/** tRPC has a narrower type for a request's options; the browser takes both. */
export function transport(input: RequestInfo | URL, init?: object): Promise<Response> {
  return (replacement ?? fetch)(input, init);
}
