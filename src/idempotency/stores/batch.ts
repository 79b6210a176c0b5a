/**
 * Natural batching. Callers that arrive while a statement is under way share the next one: one set-based statement, one
 * commit for all of them, and a result for each. There is no timer, so a single caller is a batch of one and waits for
 * nothing.
 *
 * - An item waits while all lanes are busy. A slow statement occupies one lane, and the others go on.
 * - A free lane takes at most `maxItems`, one from each tenant in turn, so that a busy tenant does not starve the others.
 * - Items with equal keys never share a statement: the second has to see what the first committed.
 * - When the database refuses a statement because of a row, the batch is divided until the row is alone, so that only
 *   its own caller gets the error.
 * - An item that has waited for `maxWaitMs`, or finds `maxWaiting` items before it, is rejected without having been sent.
 */
export interface Batch<Item, Result> {
  run(item: Item): Promise<Result>;
}

export interface BatchOptions<Item, Result> {
  /** Runs one statement for all items, which are ordered by key. Returns their results in the same order. */
  readonly execute: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly keyOf: (item: Item) => string;
  readonly tenantOf: (item: Item) => string;
  /** Whether the error can be the fault of a single row. A lost connection is not, and concerns all rows alike. */
  readonly isRowError: (error: unknown) => boolean;
  /** The error of an item that was never sent. */
  readonly overloaded: () => Error;
  readonly lanes?: number;
  readonly maxItems?: number;
  readonly maxWaiting?: number;
  readonly maxWaitMs?: number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly key: string;
  readonly since: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export function createBatch<Item, Result>(options: BatchOptions<Item, Result>): Batch<Item, Result> {
  const { execute, keyOf, tenantOf, isRowError, overloaded } = options;
  // Two lanes: while one statement waits for its commit to reach the disk, PostgreSQL works on the other.
  const { lanes = 2, maxItems = 128, maxWaiting = 10_000, maxWaitMs = 5_000 } = options;
  const queues = new Map<string, Waiting<Item, Result>[]>();
  const inFlight = new Set<string>();
  let waitingCount = 0;
  let busyLanes = 0;
  let scheduled = false;
  let timer: NodeJS.Timeout | undefined;

  return {
    run(item) {
      if (waitingCount >= maxWaiting) return Promise.reject(overloaded());
      return new Promise<Result>((resolve, reject) => {
        enqueue({ item, key: keyOf(item), since: performance.now(), resolve, reject }, tenantOf(item));
        schedule();
      });
    },
  };

  function enqueue(waiting: Waiting<Item, Result>, tenant: string): void {
    const queue = queues.get(tenant);
    if (queue) queue.push(waiting);
    else queues.set(tenant, [waiting]);
    waitingCount += 1;
  }

  /** After the current turn of the event loop, so that requests that arrive in the same turn share a statement. */
  function schedule(): void {
    watchWaitTimes();
    if (scheduled || busyLanes >= lanes) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      fillLanes();
    });
  }

  function fillLanes(): void {
    while (busyLanes < lanes && waitingCount > 0) {
      const batch = take();
      if (batch.length === 0) break;
      busyLanes += 1;
      void executeBatch(batch).finally(() => {
        for (const { key } of batch) inFlight.delete(key);
        busyLanes -= 1;
        if (waitingCount > 0) schedule();
      });
    }
    watchWaitTimes();
  }

  /** One item from each tenant in turn. An item whose key is under way stays in its queue. */
  function take(): Waiting<Item, Result>[] {
    const batch: Waiting<Item, Result>[] = [];
    const held: [string, Waiting<Item, Result>][] = [];
    while (batch.length < maxItems && queues.size > 0) {
      for (const [tenant, queue] of queues) {
        const next = queue.shift();
        if (queue.length === 0) queues.delete(tenant);
        if (!next) continue;
        waitingCount -= 1;
        if (inFlight.has(next.key)) {
          held.push([tenant, next]);
          continue;
        }
        inFlight.add(next.key);
        batch.push(next);
        if (batch.length === maxItems) break;
      }
    }
    requeue(held);
    return batch.sort((one, other) => (one.key < other.key ? -1 : 1));
  }

  /** Back to the front of their queues, in the order in which they arrived. */
  function requeue(held: readonly [string, Waiting<Item, Result>][]): void {
    for (const [tenant, waiting] of held.toReversed()) {
      const queue = queues.get(tenant);
      if (queue) queue.unshift(waiting);
      else queues.set(tenant, [waiting]);
      waitingCount += 1;
    }
  }

  async function executeBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await execute(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => {
        resolve(results[index] as Result);
      });
    } catch (error) {
      if (batch.length > 1 && isRowError(error)) {
        const half = Math.ceil(batch.length / 2);
        await executeBatch(batch.slice(0, half));
        await executeBatch(batch.slice(half));
        return;
      }
      for (const { reject } of batch) reject(error);
    }
  }

  function watchWaitTimes(): void {
    if (timer || waitingCount === 0) return;
    timer = setTimeout(() => {
      timer = undefined;
      rejectOverdue();
      watchWaitTimes();
    }, maxWaitMs / 4);
    timer.unref();
  }

  function rejectOverdue(): void {
    const overdue = performance.now() - maxWaitMs;
    for (const [tenant, queue] of queues) {
      const kept = queue.filter((waiting) => waiting.since > overdue);
      for (const { since, reject } of queue) if (since <= overdue) reject(overloaded());
      waitingCount -= queue.length - kept.length;
      if (kept.length > 0) queues.set(tenant, kept);
      else queues.delete(tenant);
    }
  }
}
