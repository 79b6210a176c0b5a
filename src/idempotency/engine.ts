import type { EngineObserver } from './events.ts';
import { createExecute } from './execute.ts';
import {
  type Command,
  canonicalInput,
  defaultFingerprints,
  fingerprintOf,
  NotCanonical,
} from './fingerprint.ts';
import { type KeyResult, keyRules } from './key.ts';
import { resolveKey } from './key-source.ts';
import { expireLease } from './lease.ts';
import { withNotifications } from './notify-changes.ts';
import type { Handler, OperationDefinition, OperationRequest, Verdict } from './operation.ts';
import { type Outcome, refused, storeUnavailable } from './outcome.ts';
import {
  type ChangeSignal,
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
import type { DomainWrites } from './row-statement.ts';
import { applyTenantPolicy } from './tenant-policy.ts';

export interface EngineOptions<Tx> {
  readonly store: IdempotencyStore<Tx>;
  readonly cipher: ResponseCipher;
  /** For operations that do not set their own. */
  readonly leaseMs: number;
  /** Called for every request, so it should cache for a few seconds. If it throws, the store counts as unavailable. */
  readonly tenantPolicy?: (tenantId: string) => Promise<TenantPolicy>;
  /** Without it no request waits for a running duplicate, and no owner stops waiting when another writer resolves its operation. */
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
   * Writes a verdict from evidence, for callers that do not own the attempt. A completed verdict may overtake the owner. A
   * release may not: while an owner is alive, only the owner can say that nothing was sent. Undefined: another writer
   * was first, and nothing was written.
   */
  resolve<T>(
    operation: OperationDefinition<Tx>,
    record: OperationRecord,
    verdict: Exclude<Verdict<T, Tx>, { kind: 'unknown' }>,
    actor: string,
    /** Writes of the caller that commit with those of the verdict. */
    alsoWrite?: (tx: Tx) => Promise<void>,
  ): Promise<OperationRecord | undefined>;
  /** For writers that find an expired lease outside a request. Undefined: the lease has not expired, or another writer was first. */
  expireLease(
    operation: OperationDefinition<Tx>,
    record: OperationRecord,
    actor: string,
  ): Promise<OperationRecord | undefined>;
  /** The response as it would be replayed, if the record has one. Throws `ResponseUnreadable` without the key for it. */
  storedResponse(operation: OperationDefinition<Tx>, record: OperationRecord): OperationResponse | undefined;
}

/** A request is reserved (`reserve.ts`), executed (`execute.ts`) and resolved (`resolution.ts`), in this order. */
export function createEngine<Tx>(given: EngineOptions<Tx>): Engine<Tx> {
  const store = given.signal ? withNotifications(given.store, given.signal) : given.store;
  const options = { ...given, store };
  const observe: EngineObserver = options.observe ?? (() => undefined);
  const codec = createResponseCodec<Tx>(options.cipher);
  const reserve = createReserve({ ...options, codec, observe });
  const execute = createExecute({ ...options, codec, observe });

  return {
    run,
    storedResponse: codec.open,
    async resolve(operation, record, verdict, actor, alsoWrite) {
      const tenantOperation = await applyTenantPolicy(options, operation, record.tenantId);
      const changed = await store.transition(
        {
          record,
          when: {
            status: verdict.kind === 'completed' ? ['in_progress', 'unknown'] : ['unknown'],
            attempt: record.attempt,
          },
          ...resolutionOf(codec, tenantOperation, record.id, verdict, actor),
        },
        alsoWrite ? combined(record, verdict.writes, alsoWrite) : verdict.writes,
      );
      return changed ? store.findById(record) : undefined;
    },
    async expireLease(operation, record, actor) {
      return expireLease(store, await applyTenantPolicy(options, operation, record.tenantId), record, actor);
    },
  };

  function combined(
    record: OperationRecord,
    writes: DomainWrites<Tx> | undefined,
    alsoWrite: (tx: Tx) => Promise<void>,
  ): DomainWrites<Tx> {
    return async (tx) => {
      if (typeof writes === 'function') await writes(tx);
      else if (writes) await store.writeRows(tx, record, writes);
      await alsoWrite(tx);
    };
  }

  async function run<T>(
    operation: OperationDefinition<Tx>,
    request: OperationRequest,
    handler: Handler<T, Tx>,
  ): Promise<Outcome> {
    const { tenantId } = request;
    let reserved: Reservation;
    let tenantOperation: OperationDefinition<Tx>;
    try {
      const command = commandOf(operation, request);
      const fingerprint = fingerprintOf(operation.fingerprints ?? defaultFingerprints, command);
      const keySource = operation.keySource ?? { from: 'header' };
      const key = await resolveKey(store, keySource, { ...request, operation: operation.name, fingerprint });
      if (key.kind !== 'key') return keyProblem(key);
      tenantOperation = await applyTenantPolicy(options, operation, tenantId);
      reserved = await reserve(tenantOperation, { ...request, key: key.key, command, fingerprint });
    } catch (error) {
      if (error instanceof NotCanonical) {
        return refused(idempotencyProblems.command_not_canonical, { detail: error.message });
      }
      if (!(error instanceof StoreUnavailable)) throw error;
      // Fail closed: without the store it is not known what was done before, so nothing is executed.
      observe({ kind: 'store_error', operation: operation.name, tenantId, operationId: undefined, error });
      return storeUnavailable(error);
    }
    const { outcome } = reserved;
    const operationId = 'granted' in reserved ? reserved.granted.id : reserved.result.operationId;
    observe({ kind: 'reserve', operation: operation.name, tenantId, operationId, outcome });
    return 'granted' in reserved ? execute(tenantOperation, reserved, handler) : reserved.result;
  }
}

function commandOf<Tx>(
  { name, apiVersion }: OperationDefinition<Tx>,
  { input, writeValue }: OperationRequest,
): Command {
  return { operation: name, apiVersion, input: canonicalInput(input, writeValue) };
}

function keyProblem(result: Exclude<KeyResult, { kind: 'key' }>): Outcome {
  if (result.kind === 'missing') return refused(idempotencyProblems.idempotency_key_missing);
  return refused(idempotencyProblems.idempotency_key_invalid, {
    detail: keyRules[result.rule],
    extensions: { rule: result.rule },
  });
}
