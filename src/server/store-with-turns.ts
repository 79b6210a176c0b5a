import { type IdempotencyStore, RolledBack } from '#idempotency/index.ts';
import type { Turns } from './turns.ts';

/**
 * Transactions with a callback, such as those of refunds, keep a connection for several statements. Few of one tenant's are
 * under way at a time. One that does not get its turn has not begun, which the engine takes for rolled back: nothing happened,
 * or, after the effect was sent, its outcome is unknown. The shared statements of payments have no turns.
 */
export function storeWithTurns<Tx>(store: IdempotencyStore<Tx>, turns: Turns): IdempotencyStore<Tx> {
  return {
    ...store,
    async transition(transition, writes) {
      if (typeof writes !== 'function') return store.transition(transition, writes);
      let begun = false;
      try {
        return await turns.run(transition.record.tenantId, () => {
          begun = true;
          return store.transition(transition, writes);
        });
      } catch (error) {
        throw begun ? error : new RolledBack(error);
      }
    },
  };
}
