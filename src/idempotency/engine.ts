import { createExecute } from './execute.ts';
import { type Command, defaultFingerprints, fingerprintOf } from './fingerprint.ts';
import type { KeyResult } from './key.ts';
import { keyRules } from './key.ts';
import { resolveKey } from './key-source.ts';
import { expireLease } from './lease.ts';
import type { Handler, OperationDefinition, Verdict } from './operation.ts';
import { type Outcome, refused } from './outcome.ts';
import {
  type ChangeSignal,
  type EngineObserver,
  type IdempotencyStore,
  type ResponseCipher,
  StoreUnavailable,
  type TenantPolicy,
} from './ports.ts';
import { idempotencyProblems } from './problems.ts';
import type { OperationRecord, OperationResponse } from './record.ts';
import { createReserve, type Reservation } from './reserve.ts';
import { resolutionOf } from './resolution.ts';
import { createResponseCodec } from './response-codec.ts';
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
  readonly cipher: ResponseCipher;
  /** For operations that do not set their own. */
  readonly leaseMs: number;
  /** Asked with every request: let it remember for a few seconds. What it throws counts as the store being away. */
  readonly policy?: (tenantId: string) => Promise<TenantPolicy>;
  /** Without it no request waits for a running duplicate, and no owner stops waiting when its operation is resolved elsewhere. */
  readonly signal?: ChangeSignal;
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
   * a release may not: while an owner is alive, only the owner can say that nothing was sent. Undefined: another
   * writer was first, and nothing was written.
   */
  resolve<T>(
    operation: OperationDefinition<Tx>,
    record: OperationRecord,
    verdict: Exclude<Verdict<T, Tx>, { kind: 'unknown' }>,
    actor: string,
  ): Promise<OperationRecord | undefined>;
  /** For those who find that a lease has expired. Undefined: it has not, or another writer was first. */
  expireLease(
    operation: OperationDefinition<Tx>,
    record: OperationRecord,
    actor: string,
  ): Promise<OperationRecord | undefined>;
  /** The stored response, as it would be replayed. */
  open(operation: OperationDefinition<Tx>, record: OperationRecord): OperationResponse | undefined;
}

/** Reserve → execute → resolve. What happens in each is in the files of those names. */
export function createEngine<Tx>(parts: EngineParts<Tx>): Engine<Tx> {
  const { store } = parts;
  const observe: EngineObserver = parts.observe ?? (() => undefined);
  const codec = createResponseCodec<Tx>(parts.cipher);
  const reserve = createReserve({ ...parts, codec, observe });
  const execute = createExecute({ ...parts, codec, observe });

  return {
    run,
    open: codec.open,
    async resolve(operation, record, verdict, actor) {
      const tenantOperation = await operationFor(parts, operation, record.tenantId);
      return store.move(
        {
          record,
          when: {
            status: verdict.kind === 'completed' ? ['in_progress', 'unknown'] : ['unknown'],
            attempt: record.attempt,
          },
          ...resolutionOf(codec, tenantOperation, record.id, verdict, actor),
        },
        verdict.writes,
      );
    },
    async expireLease(operation, record, actor) {
      return expireLease(store, await operationFor(parts, operation, record.tenantId), record, actor);
    },
  };

  async function run<T>(
    operation: OperationDefinition<Tx>,
    request: OperationRequest,
    handler: Handler<T, Tx>,
  ): Promise<Outcome> {
    let reserved: Reservation;
    let tenantOperation: OperationDefinition<Tx>;
    try {
      const command: Command = {
        operation: operation.name,
        apiVersion: operation.apiVersion,
        input: request.input,
      };
      const key = await keyOf(operation, request, command);
      if (key.kind !== 'key') return keyProblem(key);
      tenantOperation = await operationFor(parts, operation, request.tenantId);
      reserved = await reserve(tenantOperation, { ...request, key: key.key, command });
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      // Fail closed: without the memory of what was done, nothing is done.
      const { tenantId } = request;
      observe({ kind: 'store_error', operation: operation.name, tenantId, operationId: undefined, error });
      return refused(idempotencyProblems.idempotency_store_unavailable, { retryAfterSeconds: 2 });
    }
    const { outcome } = reserved;
    const operationId = 'granted' in reserved ? reserved.granted.id : reserved.result.operationId;
    observe({ kind: 'reserve', operation: operation.name, tenantId: request.tenantId, operationId, outcome });
    return 'granted' in reserved ? execute(tenantOperation, reserved.granted, handler) : reserved.result;
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
