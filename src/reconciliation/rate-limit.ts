import { setTimeout as delay } from 'node:timers/promises';
import { decorateProvider, type PaymentProvider } from '#payments/index.ts';

const realTime = { nowMs: () => performance.now(), wait: (ms: number): Promise<unknown> => delay(ms) };

/** Lets at most `perSecond` calls through per second, evenly spaced; the others wait. One per process. */
export function createRateLimit(perSecond: number, time = realTime): () => Promise<void> {
  const gapMs = 1_000 / perSecond;
  let next = 0;
  return async () => {
    const now = time.nowMs();
    const slot = Math.max(now, next);
    next = slot + gapMs;
    if (slot > now) await time.wait(slot - now);
  };
}

/**
 * The same provider, for background work: every call waits for a slot of its own, because one check may make two calls and
 * the limit is on calls. A shopper's calls are not limited.
 */
export function rateLimited(provider: PaymentProvider, waitForSlot: () => Promise<void>): PaymentProvider {
  return decorateProvider(provider, async (_, send) => {
    await waitForSlot();
    return send();
  });
}
