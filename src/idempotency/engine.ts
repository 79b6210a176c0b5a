import { type Command, defaultFingerprints, fingerprintOf } from './fingerprint.ts';
import { type Judgement, judge } from './judge.ts';
import { expireLease } from './lease.ts';
import { type Handler, type OperationDefinition, Superseded, type Verdict } from './operation.ts';
import { expired, inProgress, type Outcome, refused } from './outcome.ts';
import { createOwner, isSent, type Owner } from './owner.ts';
import type { AnswerCipher, EngineObserver, IdempotencyStore, ReserveOutcome } from './ports.ts';
import { StoreUnavailable } from './ports.ts';
import { idempotencyProblems } from './problems.ts';
import {
  type Answer,
  firstRecoveryPoint,
  lastRecoveryPoint,
  type OperationRecord,
  type SealedAnswer,
} from './record.ts';

export interface OperationRequest {
  readonly tenantId: string;
  readonly principal: string;
  readonly key: string;
  /** Validated and normalised, defaults applied. */
  readonly input: unknown;
}

/** A claim that meets a record changing under its hands looks again; more often than this it is told to come back. */
const maxLooks = 8;

export interface Engine<Tx> {
  run<T>(
    operation: OperationDefinition<Tx>,
    request: OperationRequest,
    handler: Handler<T, Tx>,
  ): Promise<Outcome>;
  /** Turns a definitive answer into what the store keeps; for those who settle a record without having owned it. */
  seal(operation: OperationDefinition<Tx>, recordId: string, status: number, body: unknown): SealedAnswer;
  open(record: OperationRecord): Answer | undefined;
}

export function createEngine<Tx>(parts: {
  readonly store: IdempotencyStore<Tx>;
  readonly cipher: AnswerCipher;
  /** For operations that do not set their own. */
  readonly leaseMs: number;
  readonly observe?: EngineObserver;
}): Engine<Tx> {
  const { store, cipher } = parts;
  const observe: EngineObserver = parts.observe ?? (() => undefined);

  return { run, seal, open };

  async function run<T>(
    operation: OperationDefinition<Tx>,
    request: OperationRequest,
    handler: Handler<T, Tx>,
  ): Promise<Outcome> {
    let reserved: Reservation;
    try {
      reserved = await reserve(operation, request);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      observe({ kind: 'store_error', operation: operation.name, error });
      return refused(idempotencyProblems.idempotency_store_unavailable, { retryAfterSeconds: 2 });
    }
    observe({ kind: 'reserve', operation: operation.name, outcome: reserved.outcome });
    return 'granted' in reserved ? execute(operation, reserved.granted, handler) : reserved.told;
  }

  /** Finds out what this request may do. Fails closed: without the store nothing is executed. */
  async function reserve(
    operation: OperationDefinition<Tx>,
    request: OperationRequest,
  ): Promise<Reservation> {
    const scope = { tenantId: request.tenantId, operation: operation.name, key: request.key };
    const command: Command = {
      operation: operation.name,
      apiVersion: operation.apiVersion,
      input: request.input,
    };
    const versions = operation.fingerprints ?? defaultFingerprints;
    const fingerprint = fingerprintOf(versions, versions.current, command);
    if (!fingerprint) throw new Error(`Fingerprint version ${versions.current} is not defined.`);

    for (let look = 0; look < maxLooks; look++) {
      const inserted = await store.insert({
        ...scope,
        fingerprint,
        fingerprintVersion: versions.current,
        principal: request.principal,
        leaseMs: leaseOf(operation),
        effectSent: isSent(operation, firstRecoveryPoint),
      });
      if (inserted) return { outcome: 'created', granted: inserted };

      // Under READ COMMITTED the row that stopped the insert may be gone, or not yet visible: then look again.
      const record = await store.find(scope);
      if (!record) continue;
      const sameCommand = fingerprintOf(versions, record.fingerprintVersion, command) === record.fingerprint;
      const judgement = judge(record, { principal: request.principal, sameCommand });
      const reservation = await act(operation, record, judgement);
      if (reservation) return reservation;
    }
    return { outcome: 'in_progress', told: inProgress(operation) };
  }

  /** Undefined: the record moved meanwhile; look again. */
  async function act(
    operation: OperationDefinition<Tx>,
    record: OperationRecord,
    judgement: Judgement,
  ): Promise<Reservation | undefined> {
    switch (judgement) {
      case 'misuse':
        return { outcome: 'key_misuse', told: refused(idempotencyProblems.idempotency_key_reused) };
      case 'expired':
        return { outcome: 'expired', told: expired(record) };
      case 'replay':
        return { outcome: 'replay', told: replay(record) };
      case 'in_progress':
        return { outcome: 'in_progress', told: inProgress(operation, record.id) };
      case 'unknown':
        return { outcome: 'unknown', told: { kind: 'pending', operationId: record.id } };
      case 'lease_expired':
        await expireLease(store, operation, record, 'request');
        return undefined;
      case 'reclaim': {
        const granted = await store.move({
          id: record.id,
          when: { status: ['failed_retryable'], attempt: record.attempt },
          to: 'in_progress',
          nextAttempt: true,
          leaseMs: leaseOf(operation),
          effectSent: isSent(operation, record.recoveryPoint),
          because: { actor: 'request', cause: 'retried' },
        });
        return granted && { outcome: 'failed_retry', granted };
      }
    }
  }

  async function execute<T>(
    operation: OperationDefinition<Tx>,
    granted: OperationRecord,
    handler: Handler<T, Tx>,
  ): Promise<Outcome> {
    const owner = createOwner(store, operation, granted, leaseOf(operation));
    try {
      const verdict = await judgeHandler(operation, owner, handler);
      return await settle(operation, owner, verdict);
    } catch (error) {
      if (error instanceof Superseded) {
        observe({ kind: 'stale_write_refused', operation: operation.name, operationId: granted.id });
        return asStored(operation, granted.id);
      }
      if (!(error instanceof StoreUnavailable)) throw error;
      // The store went away under an executing owner. What it already sent stays possible, so nobody may be told
      // that it failed: the lease runs out and reconciliation settles it.
      observe({ kind: 'store_error', operation: operation.name, error });
      if (owner.effectSent) return { kind: 'pending', operationId: granted.id };
      return refused(idempotencyProblems.idempotency_store_unavailable, { retryAfterSeconds: 2 });
    }
  }

  /** A handler that throws has not said how it ended; only the recovery point can say that nothing was sent. */
  async function judgeHandler<T>(
    operation: OperationDefinition<Tx>,
    owner: Owner<Tx>,
    handler: Handler<T, Tx>,
  ): Promise<Verdict<T, Tx>> {
    try {
      return await handler(owner);
    } catch (error) {
      if (error instanceof Superseded || error instanceof StoreUnavailable) throw error;
      observe({ kind: 'handler_error', operation: operation.name, operationId: owner.operationId, error });
      if (owner.effectSent) return { kind: 'unknown', code: 'handler_error' };
      const released = operation.onReleased;
      return {
        kind: 'failed_retryable',
        problem: { spec: idempotencyProblems.operation_failed },
        recoveryPoint: owner.recoveryPoint,
        ...(released && { writes: (tx: Tx) => released(tx, owner.record) }),
      };
    }
  }

  async function settle<T>(
    operation: OperationDefinition<Tx>,
    owner: Owner<Tx>,
    verdict: Verdict<T, Tx>,
  ): Promise<Outcome> {
    const { operationId } = owner;
    const evidence = verdict.evidence && { evidence: verdict.evidence };
    switch (verdict.kind) {
      case 'completed': {
        const body = JSON.stringify(verdict.body);
        // A late owner of the current attempt may still settle what others have begun to doubt.
        await owner.move(['in_progress', 'unknown'], verdict.writes, {
          to: 'completed',
          recoveryPoint: lastRecoveryPoint,
          answer: sealText(operation, operationId, verdict.status, body),
          ...(verdict.resource && { resource: verdict.resource }),
          expiresInMs: operation.replayMs,
          because: { actor: 'owner', cause: verdict.cause, ...evidence },
        });
        return { kind: 'answered', operationId, answer: { status: verdict.status, body }, replayed: false };
      }
      case 'failed_retryable':
        await owner.move(['in_progress', 'unknown'], verdict.writes, {
          to: 'failed_retryable',
          effectSent: false,
          recoveryPoint: verdict.recoveryPoint ?? firstRecoveryPoint,
          errorCode: verdict.problem.spec.code,
          expiresInMs: operation.replayMs,
          because: { actor: 'owner', cause: verdict.problem.spec.code, ...evidence },
        });
        return { kind: 'refused', problem: verdict.problem, operationId };
      case 'unknown':
        await owner.move(['in_progress'], verdict.writes, {
          to: 'unknown',
          errorCode: verdict.code,
          reconcileInMs: operation.reconcileInMs,
          because: { actor: 'owner', cause: verdict.code, ...evidence },
        });
        return { kind: 'pending', operationId };
    }
  }

  /** For a superseded owner: whatever is true now is its caller's answer. */
  async function asStored(operation: OperationDefinition<Tx>, id: string): Promise<Outcome> {
    const record = await store.findById(id);
    if (record?.status === 'completed' && record.answer) return replay(record);
    if (record?.status === 'failed_retryable') return inProgress(operation, id);
    if (record?.status === 'in_progress') return inProgress(operation, id);
    return { kind: 'pending', operationId: id };
  }

  function leaseOf(operation: OperationDefinition<Tx>): number {
    return operation.leaseMs ?? parts.leaseMs;
  }

  function seal(
    operation: OperationDefinition<Tx>,
    recordId: string,
    status: number,
    body: unknown,
  ): SealedAnswer {
    return sealText(operation, recordId, status, JSON.stringify(body));
  }

  function sealText(
    operation: OperationDefinition<Tx>,
    recordId: string,
    status: number,
    body: string,
  ): SealedAnswer {
    return { status, ...cipher.seal(recordId, body), schemaVersion: operation.responseSchemaVersion };
  }

  function open(record: OperationRecord): Answer | undefined {
    return record.answer && { status: record.answer.status, body: cipher.open(record.id, record.answer) };
  }

  function replay(record: OperationRecord): Outcome {
    const answer = open(record);
    if (!answer) return expired(record);
    return { kind: 'answered', operationId: record.id, answer, replayed: true };
  }
}

type Reservation =
  | { readonly outcome: ReserveOutcome; readonly granted: OperationRecord }
  | { readonly outcome: ReserveOutcome; readonly told: Outcome };
