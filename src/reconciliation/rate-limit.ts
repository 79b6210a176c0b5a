import { setTimeout as delay } from 'node:timers/promises';
import type { PaymentProvider } from '#payments/index.ts';

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

/**
 * The same provider, for those who can wait: every question takes a turn of its own, because one look may ask two, and the
 * limit is on questions. A shopper's calls do not come this way.
 */
export function inTurn(provider: PaymentProvider, turn: () => Promise<void>): PaymentProvider {
  const waiting =
    <Asked extends unknown[], Answer>(ask: (...asked: Asked) => Promise<Answer>) =>
    async (...asked: Asked): Promise<Answer> => {
      await turn();
      return ask(...asked);
    };
  return {
    createIntent: waiting(provider.createIntent),
    confirmIntent: waiting(provider.confirmIntent),
    retrieveIntent: waiting(provider.retrieveIntent),
    cancelIntent: waiting(provider.cancelIntent),
    createRefund: waiting(provider.createRefund),
    findRefund: waiting(provider.findRefund),
    findCharges: waiting(provider.findCharges),
    ping: waiting(provider.ping),
  };
}
