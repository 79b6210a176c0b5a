import { classify } from './classify.ts';
import type { EngineParts, OperationRequest } from './engine.ts';
import { differingFields, fieldDigestsOf } from './field-digests.ts';
import { type Command, defaultFingerprints, fingerprintOf, isSameCommand } from './fingerprint.ts';
import { expireLease } from './lease.ts';
import type { OperationDefinition } from './operation.ts';
import { expired, inProgress, type Outcome, refused, unknown } from './outcome.ts';
import { isSent } from './owner.ts';
import { type EngineObserver, type Misuse, operationTopic, type ReserveOutcome } from './ports.ts';
import { idempotencyProblems } from './problems.ts';
import { firstRecoveryPoint, type OperationRecord } from './record.ts';
import type { ResponseCodec } from './response-codec.ts';

export type Reservation =
  | { readonly outcome: ReserveOutcome; readonly granted: OperationRecord }
  | { readonly outcome: ReserveOutcome; readonly result: Outcome };

export interface ReserveRequest extends OperationRequest {
  readonly key: string;
  readonly command: Command;
}

/** A claim whose record changes meanwhile starts again; after this many tries the caller is told to come back. */
const maxTries = 16;

/** Decides what a request may do: execute, or take the result that the record already has for it. */
export function createReserve<Tx>(
  parts: EngineParts<Tx> & { readonly codec: ResponseCodec<Tx>; readonly observe: EngineObserver },
): (operation: OperationDefinition<Tx>, request: ReserveRequest) => Promise<Reservation> {
  const { store, codec, signal, observe } = parts;

  return async function reserve(operation, request) {
    const versions = operation.fingerprints ?? defaultFingerprints;
    const scope = { tenantId: request.tenantId, operation: operation.name, key: request.key };
    const claim = {
      ...scope,
      fingerprint: fingerprintOf(versions, versions.current, request.command),
      fingerprintVersion: versions.current,
      fieldDigests: fieldDigestsOf(scope, request.command),
      principal: request.principal,
      leaseMs: operation.leaseMs ?? parts.leaseMs,
      effectSent: isSent(operation, firstRecoveryPoint),
    };
    const timeout = createWaitTimeout(operation);

    for (let tries = 0; tries < maxTries; tries++) {
      const inserted = await store.insert(claim);
      if (inserted) return { outcome: 'created', granted: inserted };

      // Under READ COMMITTED the row that stopped the insert may be gone, or not yet visible: then start again.
      const record = await store.find(scope);
      if (!record) continue;
      const { principal } = request;
      const sameCommand = isSameCommand(versions, record, request.command);
      const misuse = (): Misuse =>
        record.principal === principal
          ? { kind: 'command', fields: differingFields(record.fieldDigests, claim.fieldDigests) ?? [] }
          : { kind: 'principal', fields: [] };
      const reservation = await reserveExisting(
        operation,
        record,
        { principal, sameCommand, misuse },
        timeout,
      );
      if (reservation) return reservation;
    }
    return { outcome: 'in_progress', result: inProgress(operation) };
  };

  /** Undefined: the record was moved, here or elsewhere, and the claim starts again. */
  async function reserveExisting(
    operation: OperationDefinition<Tx>,
    record: OperationRecord,
    request: { principal: string; sameCommand: boolean; misuse: () => Misuse },
    timeout: WaitTimeout,
  ): Promise<Reservation | undefined> {
    switch (classify(record, request)) {
      case 'misuse':
        await note(record, request.misuse());
        return { outcome: 'key_misuse', result: refused(idempotencyProblems.idempotency_key_reused) };
      case 'expired':
        return { outcome: 'expired', result: expired(record) };
      case 'unknown':
        return { outcome: 'unknown', result: unknown(record.id) };
      case 'replay': {
        const response = codec.open(operation, record);
        if (!response) return { outcome: 'expired', result: expired(record) };
        return {
          outcome: 'replay',
          result: { kind: 'completed', operationId: record.id, response, replayed: true },
        };
      }
      case 'in_progress':
        if (await waitForChange(record, timeout)) return undefined;
        return { outcome: 'in_progress', result: stillRunning(operation, record.id) };
      case 'lease_expired': {
        const { tenantId, id: operationId } = record;
        const moved = await expireLease(store, operation, record, 'request');
        // Several requests may find the same expired lease; the one whose move succeeded reports it.
        if (moved) {
          observe({
            kind: 'zombie_key',
            operation: operation.name,
            tenantId,
            operationId,
            to: moved.status,
          });
        }
        return undefined;
      }
      case 'reclaim': {
        const granted = await store.move({
          record,
          when: { status: ['failed_retryable'], attempt: record.attempt },
          to: 'in_progress',
          nextAttempt: true,
          leaseMs: operation.leaseMs ?? parts.leaseMs,
          effectSent: isSent(operation, record.recoveryPoint),
          because: { actor: 'request', cause: 'retried' },
        });
        return granted && { outcome: 'failed_retry', granted };
      }
    }
  }

  /** For the operators. The caller gets the same response whether or not the misuse could be recorded. */
  async function note(record: OperationRecord, misuse: Misuse): Promise<void> {
    await store.noteMisuse(record, misuse).catch((error: unknown) => {
      const { operation, tenantId, id: operationId } = record;
      observe({ kind: 'store_error', operation, tenantId, operationId, error });
    });
  }

  /** True: the record may have changed, so the claim starts again. The owner's commit wakes the waiter; nothing polls. */
  async function waitForChange(record: OperationRecord, timeout: WaitTimeout): Promise<boolean> {
    if (!signal || timeout.leftMs() <= 0) return false;
    const watch = await signal.watch(operationTopic(record)).catch(() => undefined);
    if (!watch) return false;
    try {
      const now = await store.findById(record);
      if (now?.status !== 'in_progress') return true;
      return await watch.changed(timeout.leftMs());
    } finally {
      watch.close();
    }
  }
}

/** How long this request may still be held. It decides no ownership, so the process's own clock is good enough. */
interface WaitTimeout {
  leftMs(): number;
}

function createWaitTimeout<Tx>({ whileRunning }: OperationDefinition<Tx>): WaitTimeout {
  const until = performance.now() + (whileRunning?.kind === 'wait' ? whileRunning.maxMs : 0);
  return { leftMs: () => until - performance.now() };
}

function stillRunning<Tx>(operation: OperationDefinition<Tx>, operationId: string): Outcome {
  if (operation.whileRunning?.kind === 'accepted') return { kind: 'pending', operationId, why: 'running' };
  return inProgress(operation, operationId);
}
