import type { Engine, IdempotencyStore, OperationRecord } from '#idempotency/index.ts';
import type { Investigator, Tx } from './investigate.ts';
import type { ReconcileEvent } from './reconcile.ts';
import { digestOf, type Sighting } from './provider-snapshot.ts';
import { type Claim, type Standing, weigh } from './assess.ts';

/** An operation as it is, what the provider says of it, and how far that carries each thing one could claim. */
export interface Examined {
  readonly record: OperationRecord;
  readonly sighting: Sighting;
  readonly digest: string;
  readonly standings: readonly { readonly claim: Claim; readonly standing: Standing }[];
}

export type Overruled =
  | { readonly kind: 'settled' }
  /** It is no longer unknown: somebody else was first, and nothing was written. */
  | { readonly kind: 'nothing_to_do'; readonly status: OperationRecord['status'] | 'missing' }
  /** The provider says something else than whoever decided had before them; nothing was written. */
  | { readonly kind: 'drifted'; readonly now: Examined }
  /** The evidence does not leave it to a person. */
  | { readonly kind: 'not_open'; readonly now: Examined };

export interface Verdicts {
  /** Undefined: there is no such operation, or nobody knows how to ask about it. */
  examine(operationId: string): Promise<Examined | undefined>;
  /**
   * Settles on a person's word what the provider neither proves nor denies. The provider is asked once more: what was
   * decided on is what is true now, or nothing happens.
   */
  overrule(operationId: string, actor: string, word: Word): Promise<Overruled>;
}

export interface Word {
  readonly claim: Claim;
  /** Of the sighting that whoever decided had before them. */
  readonly digest: string;
  readonly evidence: Readonly<Record<string, unknown>>;
  /** In the transaction of the verdict. Throwing takes the verdict back. */
  readonly writes: (tx: Tx) => Promise<void>;
}

export function createVerdicts(parts: {
  readonly store: IdempotencyStore<Tx>;
  readonly engine: Engine<Tx>;
  readonly investigators: readonly Investigator[];
  readonly observe?: (event: ReconcileEvent) => void;
}): Verdicts {
  const { store, engine } = parts;
  const byOperation = new Map(parts.investigators.map((one) => [one.operation.name, one]));

  async function examine(operationId: string): Promise<Examined | undefined> {
    const record = await store.findById(operationId);
    const investigator = record && byOperation.get(record.operation);
    if (!investigator) return undefined;
    const sighting = await investigator.examine(record);
    const { happened, didNot } = investigator.claims;
    const standings = [happened, didNot].map((claim) => ({ claim, standing: weigh(sighting.says, claim) }));
    return { record, sighting, digest: digestOf(sighting), standings };
  }

  return {
    examine,
    async overrule(operationId, actor, word) {
      const now = await examine(operationId);
      if (now?.record.status !== 'unknown') {
        return { kind: 'nothing_to_do', status: now?.record.status ?? 'missing' };
      }
      if (now.digest !== word.digest) return { kind: 'drifted', now };
      const { record, sighting } = now;
      const standing = now.standings.find(({ claim }) => claim === word.claim)?.standing;
      const investigator = byOperation.get(record.operation);
      const completion =
        standing?.kind === 'override' ? await investigator?.believe(record, sighting) : undefined;
      if (!completion || !investigator) return { kind: 'not_open', now };

      const verdict = {
        ...completion,
        cause: 'operator_verdict',
        evidence: { verdict: word.claim, ...word.evidence, provider: { ...sighting } },
        writes: async (tx: Tx) => {
          await completion.writes?.(tx);
          await word.writes(tx);
        },
      };
      const moved = await engine.settle(investigator.operation, record, verdict, actor);
      if (!moved) {
        const after = await store.findById(operationId);
        return { kind: 'nothing_to_do', status: after?.status ?? 'missing' };
      }
      parts.observe?.({
        kind: 'resolved',
        operation: record.operation,
        operationId,
        tenantId: record.tenantId,
        source: actor.split(':')[0] ?? actor,
        verdict: 'settled',
        unknownForMs: moved.updatedAt.getTime() - record.updatedAt.getTime(),
      });
      return { kind: 'settled' };
    },
  };
}
