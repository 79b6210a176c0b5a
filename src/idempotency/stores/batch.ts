/**
 * Natural batching. Callers that arrive while a statement is under way share the next one: one set-based statement, one
 * commit for all of them, and a result for each. There is no timer, so a single caller is a batch of one and waits for
 * nothing.
 *
 * - One statement is under way at a time, because few large ones are cheaper than many small ones. When it takes longer
 *   than `slowAfterMs`, for instance because a row is locked, the others go on in another one, up to `maxStatements`.
 * - A statement takes at most `maxItems`, one from each tenant in turn, so that a busy tenant does not starve the others.
 *   Above `splitAbove` it takes half of what waits: the process prepares one half while the database executes the other.
 * - Items with equal names never become two rows of one statement, nor are they under way in two at once: the later one
 *   has to see what the earlier one committed. Where `isShared` allows it, they get the earlier one's result instead of a
 *   statement.
 * - When the database refuses a statement because of a row, the batch is divided until the row is alone, so that only
 *   its own caller gets the error.
 * - An item that has waited for `maxWaitMs`, or finds `maxWaiting` items before it, is rejected without having been sent.
 */
export interface Batch<Item, Result> {
  run(item: Item): Promise<Result>;
}

export interface BatchOptions<Item, Result> {
  /** Runs one statement for all items, in the order of their names. Returns their results in the same order. */
  readonly execute: (items: readonly [Item, ...Item[]]) => Promise<readonly Result[]>;
  /** Names the row that an item is about. */
  readonly nameOf: (item: Item) => string;
  readonly tenantOf: (item: Item) => string;
  /** Whether a result is also the result of the other items with the same name. Default: never. */
  readonly isShared?: (result: Result) => boolean;
  /** Whether the error can be the fault of a single row. A lost connection is not, and concerns all rows alike. */
  readonly isRowError: (error: unknown) => boolean;
  /** The error of an item that was never sent. */
  readonly overloaded: () => Error;
  readonly maxStatements?: number;
  readonly slowAfterMs?: number;
  readonly maxItems?: number;
  readonly splitAbove?: number;
  readonly maxWaiting?: number;
  readonly maxWaitMs?: number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly name: string;
  readonly tenant: string;
  readonly since: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** The items of a batch with one name. The first is sent. */
type Slot<Item, Result> = readonly [Waiting<Item, Result>, ...Waiting<Item, Result>[]];

export function createBatch<Item, Result>(options: BatchOptions<Item, Result>): Batch<Item, Result> {
  const { execute, nameOf, tenantOf, isShared, isRowError, overloaded } = options;
  const { maxStatements = 4, slowAfterMs = 25, maxItems = 128, splitAbove = maxItems } = options;
  const { maxWaiting = 10_000, maxWaitMs = 5_000 } = options;
  const queues = new Map<string, Waiting<Item, Result>[]>();
  const namesUnderWay = new Set<string>();
  let waitingCount = 0;
  let underWay = 0;
  let slow = 0;
  let scheduled = false;
  let waitTimer: NodeJS.Timeout | undefined;

  return {
    run(item) {
      if (waitingCount >= maxWaiting) return Promise.reject(overloaded());
      return new Promise<Result>((resolve, reject) => {
        const [name, tenant, since] = [nameOf(item), tenantOf(item), performance.now()];
        enqueue([{ item, name, tenant, since, resolve, reject }], 'last');
        schedule();
      });
    },
  };

  function enqueue(items: readonly Waiting<Item, Result>[], place: 'first' | 'last'): void {
    for (const waiting of place === 'first' ? items.toReversed() : items) {
      const queue = queues.get(waiting.tenant);
      if (!queue) queues.set(waiting.tenant, [waiting]);
      else if (place === 'first') queue.unshift(waiting);
      else queue.push(waiting);
    }
    waitingCount += items.length;
  }

  /** After the current turn of the event loop, so that requests that arrive in the same turn share a statement. */
  function schedule(): void {
    watchWaitTimes();
    if (scheduled || underWay > slow || underWay >= maxStatements) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      startStatement();
    });
  }

  function startStatement(): void {
    const half = Math.max(splitAbove, Math.ceil(waitingCount / 2));
    const slots = take(Math.min(maxItems, half));
    if (slots.length === 0) return;
    underWay += 1;
    let isSlow = false;
    const slowTimer = setTimeout(() => {
      isSlow = true;
      slow += 1;
      if (waitingCount > 0) schedule();
    }, slowAfterMs);
    void executeSlots(slots).finally(() => {
      clearTimeout(slowTimer);
      for (const [{ name }] of slots) namesUnderWay.delete(name);
      underWay -= 1;
      if (isSlow) slow -= 1;
      if (waitingCount > 0) schedule();
    });
  }

  /** One item from each tenant in turn. An item stays in its queue while its name is under way in another statement. */
  function take(limit: number): Slot<Item, Result>[] {
    const slots = new Map<string, [Waiting<Item, Result>, ...Waiting<Item, Result>[]]>();
    const held: Waiting<Item, Result>[] = [];
    while (slots.size < limit && queues.size > 0) {
      for (const [tenant, queue] of queues) {
        const next = queue.shift();
        if (queue.length === 0) queues.delete(tenant);
        if (!next) continue;
        waitingCount -= 1;
        const slot = slots.get(next.name);
        if (slot && isShared) slot.push(next);
        else if (slot || namesUnderWay.has(next.name)) held.push(next);
        else slots.set(next.name, [next]);
        if (slots.size === limit) break;
      }
    }
    enqueue(held, 'first');
    for (const name of slots.keys()) namesUnderWay.add(name);
    return [...slots.values()].sort(([one], [other]) => (one.name < other.name ? -1 : 1));
  }

  async function executeSlots(slots: readonly Slot<Item, Result>[]): Promise<void> {
    try {
      const results = await execute(slots.map(([{ item }]) => item) as [Item, ...Item[]]);
      slots.forEach(([first, ...others], index) => {
        const result = results[index] as Result;
        first.resolve(result);
        if (isShared?.(result)) for (const { resolve } of others) resolve(result);
        else enqueue(others, 'first');
      });
    } catch (error) {
      if (slots.length > 1 && isRowError(error)) {
        const half = Math.ceil(slots.length / 2);
        await executeSlots(slots.slice(0, half));
        await executeSlots(slots.slice(half));
        return;
      }
      const [slot] = slots;
      if (slots.length === 1 && slot && isRowError(error)) {
        // The row was the first one's; the others may have sent another one under the same name.
        const [first, ...others] = slot;
        first.reject(error);
        enqueue(others, 'first');
        return;
      }
      for (const { reject } of slots.flat()) reject(error);
    }
  }

  function watchWaitTimes(): void {
    if (waitTimer || waitingCount === 0) return;
    waitTimer = setTimeout(() => {
      waitTimer = undefined;
      rejectOverdue();
      watchWaitTimes();
    }, maxWaitMs / 4);
    waitTimer.unref();
  }

  function rejectOverdue(): void {
    const overdue = performance.now() - maxWaitMs;
    for (const [tenant, queue] of queues) {
      const kept = queue.filter(({ since }) => since > overdue);
      for (const { since, reject } of queue) if (since <= overdue) reject(overloaded());
      waitingCount -= queue.length - kept.length;
      if (kept.length > 0) queues.set(tenant, kept);
      else queues.delete(tenant);
    }
  }
}
