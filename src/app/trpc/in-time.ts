/**
 * A connection that is cut without a word, such as by a phone that changes networks, leaves a request open for minutes. Two
 * calls to the provider take less than this by default. A request that is given up too early costs nothing: the same key gets
 * the response of the first, or hears that it is in progress.
 */
const responseMs = 30_000;

/** Rejects, and ends the request, if there is no response in time. */
export async function inTime<T>(request: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new Error(`There was no response in ${responseMs / 1000} s.`);
      reject(error);
      controller.abort(error);
    }, responseMs);
  });
  try {
    // A batch is ended only when all of its calls are, so the caller does not wait for that.
    return await Promise.race([request(controller.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}
