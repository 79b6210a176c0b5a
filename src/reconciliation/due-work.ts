import type { DueQueue, Engine, OperationDefinition, OperationRecord } from '#idempotency/index.ts';
import type { Circuit } from './circuit.ts';
import type { Tx } from './investigate.ts';
import { isProviderTrouble } from './provider-trouble.ts';
import type { Reconciled, Reconciler } from './reconcile.ts';
import { pauseAfter } from './schedule.ts';

/**
 * While one worker looks into an operation nobody else does; if that worker dies, somebody else may after this. Longer
 * than a look can take: create and cancel, each within the provider's time-out.
 */
export function holdOf(settings: { readonly PROVIDER_TIMEOUT_MS: number }): number {
  return 2 * settings.PROVIDER_TIMEOUT_MS + 10_000;
}

/** A provider that is back is asked about everything within this time, but not about everything at once. */
const hurryMs = 20_000;

export type DueEvent =
  | ({ readonly kind: 'swept'; readonly to: string } & About)
  | ({ readonly kind: 'exhausted'; readonly checks: number } & About)
  /** Working on this one threw. It keeps its place, and the others went on. */
  | ({ readonly kind: 'look_failed'; readonly source: 'poller' | 'sweeper'; readonly error: unknown } & About)
  | { readonly kind: 'provider_back'; readonly hurried: number };

interface About {
  readonly operation: string;
  readonly operationId: string;
  readonly tenantId: string;
}

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
  readonly holdMs: number;
  /** Whether the provider answers at all. */
  readonly ping: () => Promise<boolean>;
  /** Has a person told, durably. May be asked twice about one attempt, when a worker dies in between. */
  readonly alert: (record: OperationRecord) => Promise<void>;
  readonly observe: (event: DueEvent) => void;
}): DueWork {
  const { queue, engine, reconciler, circuit, holdMs, observe } = parts;
  const definitions = new Map(parts.operations.map((operation) => [operation.name, operation]));

  return {
    async sweep() {
      let swept = 0;
      for (const record of await queue.expiredLeases(100)) {
        await alone('sweeper', record, async () => {
          if (await sweepOne(record)) swept += 1;
        });
      }
      // What could not be doubted is there in the next round too: it must not be a reason to begin that at once.
      return swept;
    },
    async poll(limit) {
      const permits = await circuit.permits();
      if (permits === 'none') return 0;
      const records = await queue.take(permits === 'one' ? 1 : limit, holdMs);
      // The one question has to be asked, also when no look is due: everything waits for its answer.
      if (permits === 'one' && records.length === 0) await noteAnswer(await parts.ping());
      await Promise.all(records.map((record) => alone('poller', record, () => check(record))));
      return records.length;
    },
  };

  async function noteAnswer(answered: boolean): Promise<void> {
    if (!answered) return circuit.failed();
    if ((await circuit.succeeded()) === 'closed') {
      observe({ kind: 'provider_back', hurried: await queue.hurry(hurryMs, holdMs) });
    }
  }

  /** What goes wrong with one of many is told with its name, and is its own affair. */
  async function alone(
    source: 'poller' | 'sweeper',
    record: OperationRecord,
    work: () => Promise<void>,
  ): Promise<void> {
    await work().catch((error: unknown) => failed(source, record, error));
  }

  function failed(source: 'poller' | 'sweeper', record: OperationRecord, error: unknown): void {
    observe({ kind: 'look_failed', source, ...about(record), error });
  }

  async function sweepOne(record: OperationRecord): Promise<boolean> {
    const operation = definitions.get(record.operation);
    const swept = operation && (await engine.doubt(operation, record, 'sweeper'));
    if (swept) observe({ kind: 'swept', ...about(record), to: swept.status });
    return swept !== undefined;
  }

  async function check(record: OperationRecord): Promise<void> {
    const found = await look(record);
    if (found && found.kind !== 'still_unknown') return;
    const pause = pauseAfter(definitions.get(record.operation), record.reconcileAttempts);
    if (pause !== undefined) return queue.postpone(record, pause);
    // The alert first: a worker that dies before the next line leaves the record in the poller's queue, and the next
    // one comes here again. The other way round nobody would.
    await parts.alert(record);
    if (await queue.escalate(record)) {
      observe({ kind: 'exhausted', ...about(record), checks: record.reconcileAttempts });
    }
  }

  /** Undefined: the look itself went wrong. Then it counts like one that found nothing, or it would be made for ever. */
  async function look(record: OperationRecord): Promise<Reconciled | undefined> {
    try {
      const found = await reconciler.reconcile(record.id, 'poller');
      // Where there was nothing to do the provider was not asked, and has proven nothing.
      if (found.kind !== 'nothing_to_do') await noteAnswer(!isProviderTrouble(found));
      return found;
    } catch (error) {
      failed('poller', record, error);
      return undefined;
    }
  }
}

function about({ operation, id: operationId, tenantId }: OperationRecord): About {
  return { operation, operationId, tenantId };
}
