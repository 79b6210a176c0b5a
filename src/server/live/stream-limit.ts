/**
 * An open stream holds a connection and a reader of the database for minutes, and anyone can open one with an order of
 * their own. Pages work without it: they read again by themselves.
 */
export interface StreamLimits {
  /** More than an office has tabs open; a browser opens one for each. */
  readonly perNetwork: number;
  /** Of one process. A few megabytes of memory, and far below the number of connections that a process may have. */
  readonly total: number;
}

const defaults: StreamLimits = { perNetwork: 200, total: 2_000 };

export function createStreamLimit({ perNetwork, total }: StreamLimits = defaults) {
  const open = new Map<string, number>();
  let all = 0;

  /** Undefined: there are too many. Otherwise what is called when the stream is over; a second call does nothing. */
  function enter(network: string): (() => void) | undefined {
    const before = open.get(network) ?? 0;
    if (before >= perNetwork || all >= total) return undefined;
    open.set(network, before + 1);
    all += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      all -= 1;
      const still = (open.get(network) ?? 1) - 1;
      if (still > 0) open.set(network, still);
      else open.delete(network);
    };
  }

  /** The response as it is, unless it is one stream too many. */
  async function admit(response: Response, network: string, aborted: AbortSignal): Promise<Response> {
    if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream'))
      return response;
    const leave = enter(network);
    if (!leave) {
      await response.body.cancel();
      return new Response('Too many streams are open.', { status: 429, headers: { 'Retry-After': '30' } });
    }
    aborted.addEventListener('abort', leave, { once: true });
    return new Response(whenOver(response.body, leave), response);
  }

  return { admit, enter };
}

/** Passes everything on, and calls `leave` when the stream has ended or its reader has left. */
export function whenOver(body: ReadableStream<Uint8Array>, leave: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const source: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        leave();
        controller.close();
      } catch (error) {
        leave();
        controller.error(error);
      }
    },
    async cancel(reason) {
      leave();
      // The source may reject with the very reason; nothing is left to be done about it.
      await reader.cancel(reason).catch(() => undefined);
    },
  };
  // Nothing is read ahead of the reader.
  return new ReadableStream(source, { highWaterMark: 0 });
}
