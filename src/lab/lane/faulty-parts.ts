import type { IdempotencyStore } from '#idempotency/index.ts';
import { decorateProvider, type PaymentProvider } from '#payments/index.ts';
import type { FaultInjector } from './fault-injector.ts';
import type { UntimedEvent } from './messages.ts';

/** The store, stopping at the points that a record passes, and reporting the writes that it refuses. */
export function createFaultyStore<Tx>(
  store: IdempotencyStore<Tx>,
  { reached, isArmedFor }: FaultInjector,
  report: (event: UntimedEvent) => Promise<void>,
): IdempotencyStore<Tx> {
  return {
    ...store,
    async claim(claim) {
      const claimed = await store.claim(claim);
      if (claimed?.granted) await reached('after_claim');
      return claimed;
    },
    async transition(transition, writes) {
      // Domain rows usually share the statement of the record's change. Here they go through a transaction, which is the
      // only way to stop between the writes and their commit.
      const changed = await store.transition(
        transition,
        transition.to === 'completed' && isArmedFor('before_commit')
          ? async (tx) => {
              if (typeof writes === 'function') await writes(tx);
              else if (writes) await store.writeRows(tx, transition.record, writes);
              await reached('before_commit');
            }
          : writes,
      );
      if (!changed) await report({ what: 'write_refused' });
      else if (transition.recoveryPoint === 'confirm_sent') await reached('after_confirm_sent');
      return changed;
    },
  };
}

/** The provider, stopping after the calls that create and charge. */
export function createFaultyProvider(
  provider: PaymentProvider,
  { reached }: FaultInjector,
  report: (event: UntimedEvent) => Promise<void>,
): PaymentProvider {
  return decorateProvider(provider, async ({ method }, send) => {
    const result = await send();
    if (result && 'kind' in result) {
      const response =
        'intent' in result ? result.intent.state : 'code' in result ? result.code : result.kind;
      const lost = result.kind === 'ambiguous';
      await report({ what: 'provider_responded', call: method, result: response, lost });
    }
    if (method === 'createIntent') await reached('after_intent');
    if (method === 'confirmIntent') await reached('after_charge');
    return result;
  });
}
