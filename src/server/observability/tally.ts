const flushMs = 1_000;

/** Sums that are added to a table that all processes share. */
export interface Tally<What> {
  add(key: string, what: What, by: number): void;
  /** Resolves when everything added before is written, or is kept for the next flush. */
  flush(): Promise<void>;
}

/**
 * Sums for a second, then writes in one statement. The rows are in the order of their keys, so that two processes that
 * write the same ones wait for each other instead of deadlocking.
 */
export function createTally<What>(
  write: (rows: readonly { what: What; sum: number }[]) => Promise<unknown>,
  onError: (error: unknown) => void,
): Tally<What> {
  let sums = new Map<string, { what: What; sum: number }>();
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  function add(key: string, what: What, by: number): void {
    sums.set(key, { what, sum: by + (sums.get(key)?.sum ?? 0) });
    timer ??= setTimeout(() => void flush(), flushMs).unref();
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const batch = [...sums].toSorted(([one], [other]) => (one < other ? -1 : 1));
    sums = new Map();
    if (batch.length > 0) writing = writing.then(() => send(batch));
    return writing;
  }

  async function send(batch: readonly [string, { what: What; sum: number }][]): Promise<void> {
    try {
      await write(batch.map(([, row]) => row));
    } catch (error) {
      // Kept for the next flush. If the database had committed and only its response was lost, these are counted twice.
      for (const [key, { what, sum }] of batch) add(key, what, sum);
      onError(error);
    }
  }

  return { add, flush };
}
