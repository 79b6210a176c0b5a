/** As much of a `Request` as the handlers read, so that a server without the classes of fetch can call them as well. */
export interface ApiRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array> | null;
}
