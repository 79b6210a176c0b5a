import { randomUUID } from 'node:crypto';
import { operationRefOf } from '../operation-id.ts';
import type { Claim, IdempotencyStore, Transition } from '../ports.ts';
import type { OperationRecord } from '../record.ts';

/**
 * The same store, in a crowd: every claim, transition and read is made at the same moment as those of neighbours, whose rows
 * therefore share its statement. Fails when a neighbour does not get what it would have got alone.
 */
export function createCrowdedStore<Tx>(store: IdempotencyStore<Tx>): IdempotencyStore<Tx> {
  async function claimNeighbour(of: Pick<Claim, 'operation'>, over: Partial<Claim> = {}) {
    const scope = {
      tenantId: `neighbour-${Math.random() < 0.5}`,
      operation: of.operation,
      key: randomUUID(),
    };
    const claimed = await store.claim({
      fingerprint: 'neighbour',
      fingerprintVersion: 1,
      fieldDigests: {},
      principal: 'neighbour',
      leaseMs: 60_000,
      effectSent: false,
      ...over,
      ...scope,
      ...operationRefOf(scope),
    });
    if (!claimed?.granted || claimed.record.key !== scope.key)
      throw new Error('A neighbour was not granted.');
    return claimed.record;
  }

  /** A neighbour in progress makes the same transition, and one that does not exist tries to. */
  async function moveNeighbour(neighbour: OperationRecord, transition: Transition): Promise<boolean> {
    const scope = { tenantId: 'nowhere', operation: neighbour.operation, key: randomUUID() };
    const missing = { ...scope, ...operationRefOf(scope), createdAt: neighbour.createdAt };
    const [moved, conjured] = await Promise.all([
      store.transition({ ...transition, record: neighbour }),
      store.transition({ ...transition, record: missing }),
    ]);
    if (conjured) throw new Error('A record that does not exist was changed.');
    return moved;
  }

  return {
    ...store,
    async claim(claim) {
      // Domain rows are the caller's own; a statement with them is shared only with statements of the same kind.
      if (claim.rows) return store.claim(claim);
      const [claimed] = await Promise.all([
        store.claim(claim),
        claimNeighbour(claim, { leaseMs: claim.leaseMs }),
        claimNeighbour(claim),
      ]);
      return claimed;
    },
    async findById(ref) {
      const [record, other] = await Promise.all([
        store.findById(ref),
        store.findById({ tenantId: 'nowhere', id: randomUUID() }),
      ]);
      if (other) throw new Error('A record that does not exist was found.');
      return record;
    },
    async transition(transition, writes) {
      if (writes) return store.transition(transition, writes);
      const { when } = transition;
      const neighbour = await claimNeighbour(transition.record);
      const [own, neighbours] = await Promise.allSettled([
        store.transition(transition),
        moveNeighbour(neighbour, transition),
      ]);
      const matches = when.status.includes('in_progress') && when.attempt === 1 && !when.leaseExpired;
      if (neighbours.status === 'fulfilled' && neighbours.value !== matches) {
        throw new Error(`A neighbour was ${neighbours.value ? '' : 'not '}changed.`);
      }
      // What the database refuses to one it refuses to all: the transition itself is not allowed.
      if (neighbours.status === 'rejected' && own.status === 'fulfilled' && own.value)
        throw neighbours.reason;
      if (own.status === 'rejected') throw own.reason;
      return own.value;
    },
  };
}
