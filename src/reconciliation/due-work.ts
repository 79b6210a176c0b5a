import type { DueQueue, Engine, OperationDefinition, OperationRecord } from '#idempotency/index.ts';
import type { Circuit } from './circuit.ts';
import type { Tx } from './investigate.ts';
import { isProviderTrouble } from './provider-trouble.ts';
import type { Reconciler } from './reconcile.ts';
import { pauseAfter } from './schedule.ts';

/**
 * While one worker looks into an operation nobody else does; if that worker dies, somebody else may after this. Longer
 * than a look can take (create and cancel, each within the provider's time-out), shorter than a shopper's patience.
 */
const holdMs = 30_000;
/** A provider that is back is asked about everything within this time, but not about everything at once. */
const hurryMs = 20_000;

export type DueEvent =
  | {
      readonly kind: 'swept';
      readonly operation: string;
      readonly operationId: string;
      readonly tenantId: string;
      readonly to: string;
    }
  | {
      readonly kind: 'exhausted';
      readonly operation: string;
      readonly operationId: string;
      readonly tenantId: string;
      readonly checks: number;
    }
  | { readonly kind: 'provider_back'; readonly hurried: number };

export interface DueWork {
  /** Doubts owners that are silent past their lease; how many. */
  sweep(): Promise<number>;
  /** Looks into unknown outcomes whose time has come; how many. */
  poll(limit: number): Promise<number>;
}

export function createDueWork(parts: {
  readonly queue: DueQueue;
  readonly engine: Pick<Engine<Tx>, 'doubt'>;
  readonly operations: readonly OperationDefinition<Tx>[];
  readonly reconciler: Reconciler;
  readonly circuit: Circuit;
  /** Keeps to what the provider allows. */
  readonly turn: () => Promise<void>;
  /** Has a person told, durably. May be asked twice about one attempt, when a worker dies in between. */
  readonly alert: (record: OperationRecord) => Promise<void>;
  readonly observe: (event: DueEvent) => void;
}): DueWork {
  const { queue, engine, reconciler, circuit, observe } = parts;
  const definitions = new Map(parts.operations.map((operation) => [operation.name, operation]));

  return {
    async sweep() {
      const records = await queue.expiredLeases(100);
      for (const record of records) {
        const operation = definitions.get(record.operation);
        const swept = operation && (await engine.doubt(operation, record, 'sweeper'));
        const { id: operationId, tenantId } = record;
        if (swept) {
          observe({ kind: 'swept', operation: record.operation, operationId, tenantId, to: swept.status });
        }
      }
      return records.length;
    },
    async poll(limit) {
      const permits = await circuit.permits(limit);
      if (permits === 0) return 0;
      const records = await queue.take(permits, holdMs);
      await Promise.all(records.map((record) => check(record)));
      return records.length;
    },
  };

  async function check(record: OperationRecord): Promise<void> {
    await parts.turn();
    const found = await reconciler.reconcile(record.id, 'poller');
    if (isProviderTrouble(found)) await circuit.failed();
    else if ((await circuit.succeeded()) === 'closed') {
      observe({ kind: 'provider_back', hurried: await queue.hurry(hurryMs) });
    }
    if (found.kind !== 'still_unknown') return;

    const pause = pauseAfter(record.reconcileAttempts);
    if (pause !== undefined) return queue.postpone(record, pause);
    // The alert first: a worker that dies before the next line leaves the record in the poller's queue, and the next
    // one comes here again. The other way round nobody would.
    await parts.alert(record);
    if (await queue.escalate(record)) {
      const { operation, id: operationId, tenantId, reconcileAttempts: checks } = record;
      observe({ kind: 'exhausted', operation, operationId, tenantId, checks });
    }
  }
}
