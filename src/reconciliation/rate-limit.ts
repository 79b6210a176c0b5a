import { setTimeout as delay } from 'node:timers/promises';

const realTime = { nowMs: () => performance.now(), wait: (ms: number): Promise<unknown> => delay(ms) };

/** Lets at most so many through per second, evenly; the others wait their turn. One per process. */
export function createRateLimit(perSecond: number, time = realTime): () => Promise<void> {
  const gapMs = 1_000 / perSecond;
  let next = 0;
  return async () => {
    const now = time.nowMs();
    const turn = Math.max(now, next);
    next = turn + gapMs;
    if (turn > now) await time.wait(turn - now);
  };
}
