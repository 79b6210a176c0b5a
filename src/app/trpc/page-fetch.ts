export type Fetch = (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;

let replacement: Fetch | undefined;

/** Returns a function that restores the browser's fetch. */
export function replacePageFetch(by: Fetch): () => void {
  replacement = by;
  return () => {
    if (replacement === by) replacement = undefined;
  };
}

/**
 * The fetch of the page's calls: the browser's own, unless the demo bar has replaced it. `init` is an object, because tRPC
 * has a type of its own for a request's options.
 */
export function pageFetch(input: RequestInfo | URL, init?: object): Promise<Response> {
  return (replacement ?? fetch)(input, init);
}
