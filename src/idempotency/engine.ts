import { createAnswerBox } from './response-codec.ts';
import { createExecute } from './execute.ts';
import { type Command, defaultFingerprints, fingerprintOf } from './fingerprint.ts';
import type { KeyResult } from './key.ts';
import { keyRules } from './key.ts';
import { resolveKey } from './key-source.ts';
import { expireLease } from './lease.ts';
import type { Handler, OperationDefinition, Verdict } from './operation.ts';
import { type Outcome, refused } from './outcome.ts';
import {
  type AnswerCipher,
  type EngineObserver,
  type IdempotencyStore,
  type SettlementSignal,
  StoreUnavailable,
  type TenantPolicy,
} from './ports.ts';
import { idempotencyProblems } from './problems.ts';
import type { Answer, OperationRecord } from './record.ts';
import { createReserve, type Reservation } from './reserve.ts';
import { settlementOf } from './resolution.ts';
import { operationFor } from './tenant-policy.ts';

export interface OperationRequest {
  readonly tenantId: string;
  readonly principal: string;
  /** As it came; which key that means, if any, is for the operation's key source to say. */
  readonly keyHeader: string | readonly string[] | null | undefined;
  /** Validated and normalised, defaults applied. */
  readonly input: unknown;
}

export interface EngineParts<Tx> {
  readonly store: IdempotencyStore<Tx>;
  readonly cipher: AnswerCipher;
  /** For operations that do not set their own. */
  readonly leaseMs: number;
  /** Asked with every request: let it remember for a few seconds. What it throws counts as the store being away. */
  readonly policy?: (tenantId: string) => Promise<TenantPolicy>;
  /** Without it nobody waits for a running twin, and nobody learns early of a settlement. */
  readonly signal?: SettlementSignal;
  readonly observe?: EngineObserver;
}

export interface Engine<Tx> {
  run<T>(
    operation: OperationDefinition<Tx>,
    request: OperationRequest,
    handler: Handler<T, Tx>,
  ): Promise<Outcome>;
  /**
   * For those who bring evidence without owning the attempt. Definitive evidence may come before the owner's answer;
   * a release may not: while an owner is alive, only the owner can say that nothing was sent. Undefined: somebody else
   * was first, and nothing was written.
   */
  settle<T>(
    operation: OperationDefinition<Tx>,
    record: OperationRecord,
    verdict: Exclude<Verdict<T, Tx>, { kind: 'unknown' }>,
    actor: string,
  ): Promise<OperationRecord | undefined>;
  /** For those who find that an owner was silent past its lease. Undefined: it was not, or somebody else was first. */
  doubt(
    operation: OperationDefinition<Tx>,
    record: OperationRecord,
    actor: string,
  ): Promise<OperationRecord | undefined>;
  /** The stored answer, as it would be replayed. */
  open(operation: OperationDefinition<Tx>, record: OperationRecord): Answer | undefined;
}

/** Reserve → execute → settle. What happens in each is in the files of those names. */
export function createEngine<Tx>(parts: EngineParts<Tx>): Engine<Tx> {
  const { store } = parts;
  const observe: EngineObserver = parts.observe ?? (() => undefined);
  const box = createAnswerBox<Tx>(parts.cipher);
  const reserve = createReserve({ ...parts, box, observe });
  const execute = createExecute({ ...parts, box, observe });

  return {
    run,
    open: box.open,
    async settle(operation, record, verdict, actor) {
      const here = await operationFor(parts, operation, record.tenantId);
      return store.move(
        {
          id: record.id,
          when: {
            status: verdict.kind === 'completed' ? ['in_progress', 'unknown'] : ['unknown'],
            attempt: record.attempt,
          },
          ...settlementOf(box, here, record.id, verdict, actor),
        },
        verdict.writes,
      );
    },
    async doubt(operation, record, actor) {
      return expireLease(store, await operationFor(parts, operation, record.tenantId), record, actor);
    },
  };

  async function run<T>(
    operation: OperationDefinition<Tx>,
    request: OperationRequest,
    handler: Handler<T, Tx>,
  ): Promise<Outcome> {
    let reserved: Reservation;
    let here: OperationDefinition<Tx>;
    try {
      const command: Command = {
        operation: operation.name,
        apiVersion: operation.apiVersion,
        input: request.input,
      };
      const key = await keyOf(operation, request, command);
      if (key.kind !== 'key') return keyProblem(key);
      here = await operationFor(parts, operation, request.tenantId);
      reserved = await reserve(here, { ...request, key: key.key, command });
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      // Fail closed: without the memory of what was done, nothing is done.
      const { tenantId } = request;
      observe({ kind: 'store_error', operation: operation.name, tenantId, operationId: undefined, error });
      return refused(idempotencyProblems.idempotency_store_unavailable, { retryAfterSeconds: 2 });
    }
    const { outcome } = reserved;
    const operationId = 'granted' in reserved ? reserved.granted.id : reserved.told.operationId;
    observe({ kind: 'reserve', operation: operation.name, tenantId: request.tenantId, operationId, outcome });
    return 'granted' in reserved ? execute(here, reserved.granted, handler) : reserved.told;
  }

  function keyOf(
    operation: OperationDefinition<Tx>,
    request: OperationRequest,
    command: Command,
  ): Promise<KeyResult> {
    const versions = operation.fingerprints ?? defaultFingerprints;
    return resolveKey(store, operation.keySource ?? { from: 'header' }, {
      tenantId: request.tenantId,
      operation: operation.name,
      principal: request.principal,
      keyHeader: request.keyHeader,
      input: request.input,
      fingerprint: fingerprintOf(versions, versions.current, command),
    });
  }
}

function keyProblem(result: Exclude<KeyResult, { kind: 'key' }>): Outcome {
  if (result.kind === 'missing') return refused(idempotencyProblems.idempotency_key_missing);
  return refused(idempotencyProblems.idempotency_key_invalid, {
    detail: keyRules[result.rule],
    extensions: { rule: result.rule },
  });
}
