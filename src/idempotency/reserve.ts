import type { AnswerBox } from './response-codec.ts';
import type { EngineParts, OperationRequest } from './engine.ts';
import { differingFields, fieldDigestsOf } from './field-digests.ts';
import { type Command, defaultFingerprints, fingerprintOf, isSameCommand } from './fingerprint.ts';
import { judge } from './classify.ts';
import { expireLease } from './lease.ts';
import type { OperationDefinition } from './operation.ts';
import { expired, inProgress, type Outcome, refused, unknown } from './outcome.ts';
import { isSent } from './owner.ts';
import type { EngineObserver, Misuse, ReserveOutcome } from './ports.ts';
import { idempotencyProblems } from './problems.ts';
import { firstRecoveryPoint, type OperationRecord } from './record.ts';

export type Reservation =
  | { readonly outcome: ReserveOutcome; readonly granted: OperationRecord }
  | { readonly outcome: ReserveOutcome; readonly told: Outcome };

export interface ReserveRequest extends OperationRequest {
  readonly key: string;
  readonly command: Command;
}

/** A claim that meets a record changing under its hands looks again; more often than this it is told to come back. */
const maxLooks = 16;

/** Finds out what a request may do: execute, or be told something. */
export function createReserve<Tx>(
  parts: EngineParts<Tx> & { readonly box: AnswerBox<Tx>; readonly observe: EngineObserver },
): (operation: OperationDefinition<Tx>, request: ReserveRequest) => Promise<Reservation> {
  const { store, box, signal, observe } = parts;

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
    const patience = createPatience(operation);

    for (let look = 0; look < maxLooks; look++) {
      const inserted = await store.insert(claim);
      if (inserted) return { outcome: 'created', granted: inserted };

      // Under READ COMMITTED the row that stopped the insert may be gone, or not yet visible: then look again.
      const record = await store.find(scope);
      if (!record) continue;
      const { principal } = request;
      const sameCommand = isSameCommand(versions, record, request.command);
      const misuse = (): Misuse =>
        record.principal === principal
          ? { kind: 'command', fields: differingFields(record.fieldDigests, claim.fieldDigests) ?? [] }
          : { kind: 'principal', fields: [] };
      const reservation = await meet(operation, record, { principal, sameCommand, misuse }, patience);
      if (reservation) return reservation;
    }
    return { outcome: 'in_progress', told: inProgress(operation) };
  };

  /** Undefined: the record moved, or was moved on here; look again. */
  async function meet(
    operation: OperationDefinition<Tx>,
    record: OperationRecord,
    request: { principal: string; sameCommand: boolean; misuse: () => Misuse },
    patience: Patience,
  ): Promise<Reservation | undefined> {
    switch (judge(record, request)) {
      case 'misuse':
        await note(record, request.misuse());
        return { outcome: 'key_misuse', told: refused(idempotencyProblems.idempotency_key_reused) };
      case 'expired':
        return { outcome: 'expired', told: expired(record) };
      case 'unknown':
        return { outcome: 'unknown', told: unknown(record.id) };
      case 'replay': {
        const answer = box.open(operation, record);
        if (!answer) return { outcome: 'expired', told: expired(record) };
        return {
          outcome: 'replay',
          told: { kind: 'answered', operationId: record.id, answer, replayed: true },
        };
      }
      case 'in_progress':
        if (await waited(record, patience)) return undefined;
        return { outcome: 'in_progress', told: stillRunning(operation, record.id) };
      case 'lease_expired': {
        const { tenantId, id: operationId } = record;
        const doubted = await expireLease(store, operation, record, 'request');
        // Of several who noticed at once, the one who moved it tells.
        if (doubted) {
          observe({
            kind: 'zombie_key',
            operation: operation.name,
            tenantId,
            operationId,
            to: doubted.status,
          });
        }
        return undefined;
      }
      case 'reclaim': {
        const granted = await store.move({
          id: record.id,
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

  /** For the operator's eyes. The caller is told the same whether or not it could be written down. */
  async function note(record: OperationRecord, misuse: Misuse): Promise<void> {
    await store.noteMisuse(record.id, misuse).catch((error: unknown) => {
      const { operation, tenantId, id: operationId } = record;
      observe({ kind: 'store_error', operation, tenantId, operationId, error });
    });
  }

  /** True: something happened while we waited, look again. Nobody polls: the owner's commit wakes the waiter. */
  async function waited(record: OperationRecord, patience: Patience): Promise<boolean> {
    if (!signal || patience.leftMs() <= 0) return false;
    const watch = await signal.watch(record.id).catch(() => undefined);
    if (!watch) return false;
    try {
      const now = await store.findById(record.id);
      if (now?.status !== 'in_progress') return true;
      return await watch.changed(patience.leftMs());
    } finally {
      watch.close();
    }
  }
}

/** How long this one request may be held; measured on its own process, because it decides nothing but courtesy. */
interface Patience {
  leftMs(): number;
}

function createPatience<Tx>({ whileRunning }: OperationDefinition<Tx>): Patience {
  const until = performance.now() + (whileRunning?.kind === 'wait' ? whileRunning.maxMs : 0);
  return { leftMs: () => until - performance.now() };
}

function stillRunning<Tx>(operation: OperationDefinition<Tx>, operationId: string): Outcome {
  if (operation.whileRunning?.kind === 'accepted') return { kind: 'pending', operationId, why: 'running' };
  return inProgress(operation, operationId);
}
