import { type ChangeSignal, type IdempotencyStore, operationTopic, type Transition } from './ports.ts';

/**
 * The same store, which wakes readers after each commit that they may be waiting for. It is done after the commit and not
 * by it: a NOTIFY inside a transaction serialises the commits of the whole database.
 */
export function withNotifications<Tx>(
  store: IdempotencyStore<Tx>,
  signal: ChangeSignal,
): IdempotencyStore<Tx> {
  return {
    ...store,
    async claim(claim) {
      const claimed = await store.claim(claim);
      if (claimed?.granted && claim.topics) signal.notify(claim.topics);
      return claimed;
    },
    async transition(transition, writes) {
      const changed = await store.transition(transition, writes);
      if (changed) {
        const topics = changesStatus(transition) ? [operationTopic(transition.record)] : [];
        topics.push(...(transition.topics ?? []));
        if (topics.length > 0) signal.notify(topics);
      }
      return changed;
    },
  };
}

/** A phase and an extended lease leave the record in progress. */
function changesStatus({ to, nextAttempt }: Transition): boolean {
  return to !== 'in_progress' || nextAttempt === true;
}
