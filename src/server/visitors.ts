import { StoreUnavailable } from '#idempotency/index.ts';

/**
 * Anyone may read the shop and place orders, thirty times in one request. Payments read through the same connections, and
 * would wait until all of that is done. So few of these calls are under way at a time, one from each network in turn; the
 * others wait, and those that are too many or wait for too long are refused without a statement.
 */
export interface VisitorLimits {
  /** Half of the connections of a process. */
  readonly atOnce: number;
  /** About as many as have their turn in the time that one waits. Where the proxies are not known, all visitors are one network. */
  readonly waitingPerNetwork: number;
  /** As long as a statement waits for a connection. */
  readonly maxWaitMs: number;
}

const defaults: VisitorLimits = { atOnce: 4, waitingPerNetwork: 500, maxWaitMs: 3_000 };

/** Reads of one order have turns of their own: a payer's page does not wait for the visitors of the shop. */
export const orderReadLimits: VisitorLimits = { ...defaults, atOnce: 2 };

export interface Visitors {
  run<T>(network: string, call: () => Promise<T>): Promise<T>;
}

interface Waiting {
  start(): void;
}

export function createVisitors({ atOnce, waitingPerNetwork, maxWaitMs }: VisitorLimits = defaults): Visitors {
  /** In the order of their turns. */
  const queues = new Map<string, Set<Waiting>>();
  let underWay = 0;

  function next(): void {
    const [first] = queues;
    if (!first) return;
    const [network, queue] = first;
    const [waiting] = queue;
    remove(network, waiting);
    // The network's next turn comes after those of the others.
    if (queues.delete(network)) queues.set(network, queue);
    waiting?.start();
  }

  function remove(network: string, waiting: Waiting | undefined): void {
    const queue = queues.get(network);
    if (waiting) queue?.delete(waiting);
    if (queue?.size === 0) queues.delete(network);
  }

  function turn(network: string): Promise<void> {
    const queue = queues.get(network) ?? new Set();
    if (queue.size >= waitingPerNetwork) return Promise.reject(refusal());
    queues.set(network, queue);
    return new Promise((resolve, reject) => {
      const waiting = {
        start() {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        remove(network, waiting);
        reject(refusal());
      }, maxWaitMs);
      queue.add(waiting);
    });
  }

  return {
    async run(network, call) {
      if (underWay >= atOnce) await turn(network);
      else underWay += 1;
      try {
        return await call();
      } finally {
        // The place is handed over, so that a call that arrives now does not pass those that wait.
        if (queues.size > 0) next();
        else underWay -= 1;
      }
    },
  };
}

function refusal(): StoreUnavailable {
  return new StoreUnavailable(new Error('Too many visitors wait for the database.'));
}
