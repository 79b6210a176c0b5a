import { setTimeout as delay } from 'node:timers/promises';
import type { PaymentProvider } from '#payments/index.ts';

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
  const limited =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      await waitForSlot();
      return call(...args);
    };
  return {
    createIntent: limited(provider.createIntent),
    confirmIntent: limited(provider.confirmIntent),
    retrieveIntent: limited(provider.retrieveIntent),
    cancelIntent: limited(provider.cancelIntent),
    createRefund: limited(provider.createRefund),
    findRefund: limited(provider.findRefund),
    findCharges: limited(provider.findCharges),
    ping: limited(provider.ping),
  };
}
