import type { Engine, IdempotencyStore, OperationRecord, OperationRef } from '#idempotency/index.ts';
import type { Investigator, ProviderSnapshot } from '#payments/index.ts';
import type { Assertion } from '#payments/operations/copy.ts';
import type { Prisma } from '#prisma';
import { type AssessedAssertion, assess } from './assess.ts';
import type { ReconcileEvent } from './reconcile.ts';
import { digestOf } from './snapshot-digest.ts';
import { enqueueVerification } from './verify-assertion.ts';

type Tx = Prisma.TransactionClient;

/** An operation, its state at the provider, and which assertions that admits. */
export interface Examined {
  readonly record: OperationRecord;
  readonly snapshot: ProviderSnapshot;
  readonly digest: string;
  readonly admissibilities: readonly AssessedAssertion[];
}

export type OverrideResult =
  | { readonly kind: 'completed' }
  /** It is no longer unknown: another writer was first, and nothing was written. */
  | { readonly kind: 'nothing_to_do'; readonly status: OperationRecord['status'] | 'missing' }
  /** The provider's state is not the one that the operator decided on; nothing was written. */
  | { readonly kind: 'drifted'; readonly now: Examined }
  /** The evidence does not admit an override. */
  | { readonly kind: 'not_admissible'; readonly now: Examined };

export interface Assertions {
  /** Undefined: there is no such operation, or no investigator for its kind. */
  examine(operation: OperationRef): Promise<Examined | undefined>;
  /**
   * Completes, on an operator's assertion, what the provider neither proves nor denies. The provider is asked once more: if
   * its state is not the one that was decided on, nothing happens.
   */
  override(operation: OperationRef, actor: string, override: Override): Promise<OverrideResult>;
}

export interface Override {
  readonly assertion: Assertion;
  /** Of the snapshot that the operator decided on. */
  readonly digest: string;
  readonly evidence: Readonly<Record<string, unknown>>;
  /** In the transaction of the verdict. Throwing rolls the verdict back. */
  readonly writes: (tx: Tx) => Promise<void>;
}

export function createAssertions(parts: {
  readonly store: IdempotencyStore<Tx>;
  readonly engine: Engine<Tx>;
  readonly investigators: readonly Investigator[];
  readonly observe?: (event: ReconcileEvent) => void;
}): Assertions {
  const { store, engine } = parts;
  const byOperation = new Map(parts.investigators.map((one) => [one.definition.name, one]));

  async function examine(ref: OperationRef): Promise<Examined | undefined> {
    const record = await store.findById(ref);
    const investigator = record && byOperation.get(record.operation);
    if (!investigator) return undefined;
    const snapshot = await investigator.examine(record);
    const admissibilities = assess(investigator, snapshot.state);
    return { record, snapshot, digest: digestOf(snapshot), admissibilities };
  }

  return {
    examine,
    async override(ref, actor, override) {
      const now = await examine(ref);
      if (now?.record.status !== 'unknown') {
        return { kind: 'nothing_to_do', status: now?.record.status ?? 'missing' };
      }
      if (now.digest !== override.digest) return { kind: 'drifted', now };
      const { record, snapshot } = now;
      const admissibility = now.admissibilities.find(
        ({ assertion }) => assertion === override.assertion,
      )?.admissibility;
      const investigator = byOperation.get(record.operation);
      const completion =
        admissibility?.kind === 'override' ? await investigator?.completionOf(record, snapshot) : undefined;
      if (!completion || !investigator) return { kind: 'not_admissible', now };

      const verdict = {
        ...completion,
        cause: 'operator_override',
        evidence: { assertion: override.assertion, ...override.evidence, provider: { ...snapshot } },
      };
      const resolved = await engine.resolve(investigator.definition, record, verdict, actor, async (tx) => {
        await override.writes(tx);
        await enqueueVerification(tx, record);
      });
      if (!resolved) {
        const after = await store.findById(ref);
        return { kind: 'nothing_to_do', status: after?.status ?? 'missing' };
      }
      parts.observe?.({
        kind: 'resolved',
        operation: record.operation,
        operationId: record.id,
        tenantId: record.tenantId,
        source: actor.split(':')[0] ?? actor,
        verdict: 'completed',
        unknownForMs: resolved.updatedAt.getTime() - record.updatedAt.getTime(),
      });
      return { kind: 'completed' };
    },
  };
}
