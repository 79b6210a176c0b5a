import {
  type CheckQueue,
  type Engine,
  type OperationDefinition,
  type OperationRecord,
  pauseAfter,
} from '#idempotency/index.ts';
import type { Prisma } from '#prisma';
import type { Circuit } from './circuit.ts';
import { isProviderTrouble } from './provider-trouble.ts';
import type { Reconciled, Reconciler } from './reconcile.ts';

type Tx = Prisma.TransactionClient;

/**
 * While one worker checks an operation no other does; if that worker dies, another may after this. Longer than a check can
 * take: create and cancel, each within the provider's time-out.
 */
export function checkHoldMs(settings: { readonly PROVIDER_TIMEOUT_MS: number }): number {
  return 2 * settings.PROVIDER_TIMEOUT_MS + 10_000;
}

/** A provider that is back is asked about all operations within this time, but not at one moment. */
const expediteSpreadMs = 20_000;
/** While a new version is rolled out, an old worker may take an operation that it does not know. */
const unknownOperationPauseMs = 60_000;

export type DueEvent =
  | ({ readonly kind: 'swept'; readonly to: string } & About)
  | ({ readonly kind: 'exhausted'; readonly checks: number } & About)
  /** Work on this record threw. It stays in the queue, and the others went on. */
  | ({
      readonly kind: 'check_failed';
      readonly source: 'poller' | 'sweeper';
      readonly error: unknown;
    } & About)
  | { readonly kind: 'provider_back'; readonly expedited: number };

interface About {
  readonly operation: string;
  readonly operationId: string;
  readonly tenantId: string;
}

export interface DueWork {
  /** Expires leases; returns how many. */
  sweep(): Promise<number>;
  /** Begins the checks that are due, at most `limit`. Each of them ends by itself and never rejects. */
  beginChecks(limit: number): Promise<readonly Promise<void>[]>;
}

export function createDueWork(parts: {
  readonly queue: CheckQueue;
  readonly engine: Pick<Engine<Tx>, 'expireLease'>;
  readonly operations: readonly OperationDefinition<Tx>[];
  readonly reconciler: Reconciler;
  readonly circuit: Circuit;
  readonly holdMs: number;
  /** Tenants whose operators have paused the automatic checks. */
  readonly pausedTenants?: () => Promise<readonly string[]>;
  /** Whether the provider responds at all. */
  readonly ping: () => Promise<boolean>;
  /** Alerts the operators, durably. May be called twice for one attempt, when a worker dies in between. */
  readonly alert: (record: OperationRecord) => Promise<void>;
  readonly observe: (event: DueEvent) => void;
}): DueWork {
  const { queue, engine, reconciler, circuit, holdMs, observe } = parts;
  const definitions = new Map(parts.operations.map((operation) => [operation.name, operation]));
  const underWay = new Set<OperationRecord>();

  return {
    async sweep() {
      let swept = 0;
      for await (const record of queue.expiredLeases()) {
        await isolated('sweeper', record, async () => {
          if (await sweepOne(record)) swept += 1;
        });
      }
      // A lease that could not be expired is listed again next time: it must not make the loop run at once.
      return swept;
    },
    async beginChecks(limit) {
      if (!(await circuit.hasWork())) return [];
      const permits = await circuit.permits();
      if (permits === 'none') return [];
      const paused = (await parts.pausedTenants?.()) ?? [];
      const busy = [...underWay].map(({ tenantId }) => tenantId);
      const records = await queue.take(permits === 'one' ? 1 : limit, holdMs, paused, busy);
      // Half open, the provider has to be asked also when no check is due: all checks wait for its response.
      if (permits === 'one' && records.length === 0) await noteResponse(await parts.ping());
      return records.map(async (record) => {
        underWay.add(record);
        await isolated('poller', record, () => check(record));
        underWay.delete(record);
      });
    },
  };

  async function noteResponse(responded: boolean): Promise<void> {
    if (!responded) return circuit.failed();
    if ((await circuit.succeeded()) === 'closed') {
      observe({ kind: 'provider_back', expedited: await queue.expediteAll(expediteSpreadMs, holdMs) });
    }
  }

  /** An error of one record is reported with its name and does not stop the others. */
  async function isolated(
    source: 'poller' | 'sweeper',
    record: OperationRecord,
    work: () => Promise<void>,
  ): Promise<void> {
    await work().catch((error: unknown) => failed(source, record, error));
  }

  function failed(source: 'poller' | 'sweeper', record: OperationRecord, error: unknown): void {
    observe({ kind: 'check_failed', source, ...about(record), error });
  }

  async function sweepOne(record: OperationRecord): Promise<boolean> {
    const operation = definitions.get(record.operation);
    const swept = operation && (await engine.expireLease(operation, record, 'sweeper'));
    if (swept) observe({ kind: 'swept', ...about(record), to: swept.status });
    return swept !== undefined;
  }

  async function check(record: OperationRecord): Promise<void> {
    const definition = definitions.get(record.operation);
    if (!definition) {
      // It has no schedule here, so it is neither checked nor escalated: a worker that knows it will take it.
      failed('poller', record, new Error('No operation of this name is known to this version.'));
      return queue.postpone(record, unknownOperationPauseMs);
    }
    const found = await reconcile(record);
    if (found && found.kind !== 'still_unknown') return;
    const pause = pauseAfter(definition.checks, record.checkCount);
    if (pause !== undefined) return queue.postpone(record, pause);
    // The alert first: if the worker dies before the escalation, the record is still in the poller's queue and is alerted
    // again. The other way round the alert would be lost.
    await parts.alert(record);
    if (await queue.escalate(record)) {
      observe({ kind: 'exhausted', ...about(record), checks: record.checkCount });
    }
  }

  /** Undefined: the check itself threw. It counts like one that found nothing, or it would be repeated for ever. */
  async function reconcile(record: OperationRecord): Promise<Reconciled | undefined> {
    try {
      const found = await reconciler.reconcile(record, 'poller');
      // If there was nothing to do, the provider was not asked.
      if (found.kind !== 'nothing_to_do') await noteResponse(!isProviderTrouble(found));
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
