import { StoreUnavailable } from '#idempotency/index.ts';

/**
 * The connections of a process are given first come, first served, so the many calls of one client would keep those of all others
 * waiting. So few calls of a kind are under way at a time, one of each caller in turn; the others wait, and those that are
 * too many or wait for too long are refused without a statement. What a payment needs has no turns.
 */
export interface TurnLimits {
  readonly atOnce: number;
  /** Of one caller. Unless given, one may have all that are under way. */
  readonly atOnceOfOne?: number;
  /** Of one caller: about as many as have their turn in the time that one waits. */
  readonly waitingOfOne: number;
  readonly maxWaitMs: number;
}

/**
 * Anyone may read the shop and place orders, thirty times in one request. Visitors take half of the connections of a process, one
 * from each network in turn, and wait as long as a statement waits for a connection. Where the proxies are not known, all are one
 * network.
 */
export const visitorLimits: TurnLimits = { atOnce: 4, waitingOfOne: 500, maxWaitMs: 3_000 };

/** Reads of one order have turns of their own: a payer's page does not wait for the visitors of the shop. */
export const orderReadLimits: TurnLimits = { ...visitorLimits, atOnce: 2 };

/**
 * What the members of a tenant read. A page has a dozen reads, and those over long lists take a second each, so they wait for
 * longer than a visitor's.
 */
export const memberReadLimits: TurnLimits = {
  atOnce: 5,
  atOnceOfOne: 3,
  waitingOfOne: 500,
  maxWaitMs: 10_000,
};

/** A tenant's transactions of several statements, such as those of refunds. */
export const transactionLimits: TurnLimits = {
  atOnce: 6,
  atOnceOfOne: 3,
  waitingOfOne: 500,
  maxWaitMs: 5_000,
};

export interface Turns {
  run<T>(caller: string, call: () => Promise<T>): Promise<T>;
}

interface Waiting {
  start(): void;
}

export function createTurns(limits: TurnLimits): Turns {
  const { atOnce, atOnceOfOne = atOnce, waitingOfOne, maxWaitMs } = limits;
  /** In the order of their turns. */
  const queues = new Map<string, Set<Waiting>>();
  const underWay = new Map<string, number>();
  let total = 0;

  const countOf = (caller: string) => underWay.get(caller) ?? 0;
  const mayStart = (caller: string) => total < atOnce && countOf(caller) < atOnceOfOne;

  function begin(caller: string): void {
    total += 1;
    underWay.set(caller, countOf(caller) + 1);
  }

  function end(caller: string): void {
    total -= 1;
    if (countOf(caller) > 1) underWay.set(caller, countOf(caller) - 1);
    else underWay.delete(caller);
    next();
  }

  /** The place is handed over at once, so that a call that arrives later does not pass those that wait. */
  function next(): void {
    for (const [caller, queue] of queues) {
      if (!mayStart(caller)) continue;
      const [waiting] = queue;
      remove(caller, waiting);
      // The caller's next turn comes after those of the others.
      if (queues.delete(caller)) queues.set(caller, queue);
      begin(caller);
      waiting?.start();
      return;
    }
  }

  function remove(caller: string, waiting: Waiting | undefined): void {
    const queue = queues.get(caller);
    if (waiting) queue?.delete(waiting);
    if (queue?.size === 0) queues.delete(caller);
  }

  function turn(caller: string): Promise<void> {
    const queue = queues.get(caller) ?? new Set();
    if (queue.size >= waitingOfOne) return Promise.reject(refusal());
    queues.set(caller, queue);
    return new Promise((resolve, reject) => {
      const waiting = {
        start() {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        remove(caller, waiting);
        reject(refusal());
      }, maxWaitMs);
      queue.add(waiting);
    });
  }

  return {
    async run(caller, call) {
      if (mayStart(caller)) begin(caller);
      else await turn(caller);
      try {
        return await call();
      } finally {
        end(caller);
      }
    },
  };
}

function refusal(): StoreUnavailable {
  return new StoreUnavailable(new Error('Too many calls wait for the database.'));
}
