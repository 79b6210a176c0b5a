import { setTimeout as delay } from 'node:timers/promises';

/** Lets at most so many through per second, evenly; the others wait their turn. One per process. */
export function createRateLimit(perSecond: number): () => Promise<void> {
  const gapMs = 1_000 / perSecond;
  let next = 0;
  return async () => {
    const now = performance.now();
    const turn = Math.max(now, next);
    next = turn + gapMs;
    if (turn > now) await delay(turn - now);
  };
}
