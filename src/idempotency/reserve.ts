import type { EngineOptions } from './engine.ts';
import { type EngineObserver, eventContextOf, type ReservationOutcome } from './events.ts';
import { differingFields, type FieldDigests, fieldDigestsOf } from './field-digests.ts';
import { type Command, defaultFingerprints, isOfLaterVersion, isSameCommand } from './fingerprint.ts';
import { expireLease } from './lease.ts';
import { isEffectSent, type OperationDefinition, type OperationRequest } from './operation.ts';
import { operationIdOf } from './operation-id.ts';
import { expired, inProgress, type Outcome, refused, replayOf, unknown } from './outcome.ts';
import { type Claim, type Misuse, operationTopic, StoreUnavailable } from './ports.ts';
import { idempotencyProblems } from './problems.ts';
import { firstRecoveryPoint, type OperationRecord } from './record.ts';
import type { ResponseCodec } from './response-codec.ts';

/** The right to execute, or the result that the record already has for the request. */
export type Reservation =
  | {
      readonly outcome: ReservationOutcome;
      readonly granted: OperationRecord;
      /** What the claim's row statement returned; undefined for a record that is claimed again. */
      readonly rowResult?: unknown;
    }
  | { readonly outcome: ReservationOutcome; readonly result: Outcome };

export interface ReserveRequest extends OperationRequest {
  readonly key: string;
  readonly command: Command;
  /** Of the command, by the current version. */
  readonly fingerprint: string;
}

/** A request whose record changes meanwhile starts again; after this many tries the caller gets a 409 with Retry-After. */
const maxTries = 16;

/** Decides what a request may do. Only the caller that inserts the record, or reclaims a released one, executes. */
export function createReserve<Tx>(
  options: EngineOptions<Tx> & { readonly codec: ResponseCodec<Tx>; readonly observe: EngineObserver },
): (operation: OperationDefinition<Tx>, request: ReserveRequest) => Promise<Reservation> {
  const { store, codec, signal, observe } = options;

  return async function reserve(operation, request) {
    const versions = operation.fingerprints ?? defaultFingerprints;
    const scope = { tenantId: request.tenantId, operation: operation.name, key: request.key };
    const id = operationIdOf(scope);
    let fieldDigests: FieldDigests | undefined;
    const claim: Claim = {
      ...scope,
      id,
      fingerprint: request.fingerprint,
      fingerprintVersion: versions.current,
      // Of many callers with one key, only the one whose claim is sent needs them.
      get fieldDigests() {
        fieldDigests ??= fieldDigestsOf(scope, request.command);
        return fieldDigests;
      },
      principal: request.principal,
      leaseMs: operation.leaseMs ?? options.leaseMs,
      effectSent: isEffectSent(operation, firstRecoveryPoint),
      ...request.atClaim?.({ tenantId: request.tenantId, id }),
    };
    const timeout = createWaitTimeout(operation);

    for (let tries = 0; tries < maxTries; tries++) {
      const claimed = await store.claim(claim);
      if (!claimed) continue;
      const { record } = claimed;
      if (claimed.granted) return { outcome: 'created', granted: record, rowResult: claimed.rowResult };
      // Whether it is a retry is not known here. The caller tries again, and reaches a process that knows.
      if (mayReplay(record, request.principal) && isOfLaterVersion(versions, record)) {
        throw new StoreUnavailable(
          undefined,
          `Fingerprint version ${record.fingerprintVersion} is not known.`,
        );
      }
      const sameCommand = isSameCommand(versions, record, request);
      const reservation = await reserveExisting(operation, record, { claim, sameCommand, timeout });
      if (reservation) return reservation;
    }
    return { outcome: 'in_progress', result: inProgress(operation) };
  };

  /** Undefined: the record has changed, by this request or another, so the request starts again. */
  async function reserveExisting(
    operation: OperationDefinition<Tx>,
    record: OperationRecord,
    request: { readonly claim: Claim; readonly sameCommand: boolean; readonly timeout: WaitTimeout },
  ): Promise<Reservation | undefined> {
    const { claim, sameCommand, timeout } = request;
    switch (classify(record, { principal: claim.principal, sameCommand })) {
      case 'misuse':
        await recordMisuse(record, misuseOf(record, claim));
        return { outcome: 'key_misuse', result: refused(idempotencyProblems.idempotency_key_reused) };
      case 'expired':
        return { outcome: 'expired', result: expired(record) };
      case 'unknown':
        return { outcome: 'unknown', result: unknown(record.id) };
      case 'replay': {
        const response = codec.open(operation, record);
        return { outcome: response ? 'replay' : 'expired', result: replayOf(record, response) };
      }
      case 'in_progress':
        if (await waitForChange(record, timeout)) return undefined;
        return { outcome: 'in_progress', result: stillRunning(operation, record.id) };
      case 'lease_expired': {
        const updated = await expireLease(store, operation, record, 'request');
        // Several requests may find the same expired lease; the one whose transition succeeded reports it.
        if (updated) observe({ kind: 'lease_expired', ...eventContextOf(record), to: updated.status });
        return undefined;
      }
      case 'reclaim': {
        const changed = await store.transition({
          record,
          when: { status: ['failed_retryable'], attempt: record.attempt },
          to: 'in_progress',
          nextAttempt: true,
          leaseMs: claim.leaseMs,
          effectSent: isEffectSent(operation, record.recoveryPoint),
          reason: { actor: 'request', cause: 'retried' },
        });
        const granted = changed ? await store.findById(record) : undefined;
        // Between the two the lease may have expired and another request have been granted the next attempt. That is not ours.
        return granted?.attempt === record.attempt + 1 ? { outcome: 'failed_retry', granted } : undefined;
      }
    }
  }

  /** For the operators. The caller gets the same response whether or not the misuse could be recorded. */
  async function recordMisuse(record: OperationRecord, misuse: Misuse): Promise<void> {
    await store.recordMisuse(record, misuse).catch((error: unknown) => {
      observe({ kind: 'store_error', ...eventContextOf(record), error });
    });
  }

  /** True: the record may have changed. The owner's process wakes the waiting request after its commit; it does not poll. */
  async function waitForChange(record: OperationRecord, timeout: WaitTimeout): Promise<boolean> {
    if (!signal || timeout.leftMs() <= 0) return false;
    const watch = await signal.watch(operationTopic(record)).catch(() => undefined);
    if (!watch) return false;
    try {
      const current = await store.findById(record);
      if (current?.status !== 'in_progress') return true;
      return await watch.changed(timeout.leftMs());
    } finally {
      watch.close();
    }
  }
}

/** Whether the response depends on the command: not for another principal, and not after the replay window. */
function mayReplay({ principal, status }: OperationRecord, caller: string): boolean {
  return principal === caller && status !== 'expired';
}

type Classification =
  | 'misuse'
  | 'expired'
  | 'replay'
  | 'in_progress'
  | 'lease_expired'
  | 'unknown'
  | 'reclaim';

/**
 * What a request that finds an existing record is entitled to. Another principal gets the same response as a different
 * command, and gets it before the status is considered, so that the response does not reveal the status.
 */
function classify(
  record: OperationRecord,
  request: { readonly principal: string; readonly sameCommand: boolean },
): Classification {
  if (record.principal !== request.principal) return 'misuse';
  if (record.status === 'expired') return 'expired';
  if (!request.sameCommand) return 'misuse';
  switch (record.status) {
    case 'completed':
      return record.response ? 'replay' : 'expired';
    case 'in_progress':
      return record.leaseExpired ? 'lease_expired' : 'in_progress';
    case 'unknown':
      return 'unknown';
    case 'failed_retryable':
      return 'reclaim';
  }
}

function misuseOf(record: OperationRecord, claim: Claim): Misuse {
  if (record.principal !== claim.principal) return { kind: 'principal', fields: [] };
  return { kind: 'command', fields: differingFields(record.fieldDigests, claim.fieldDigests) ?? [] };
}

/** How long a request may still be held. This decides no ownership, so the clock of the process is good enough. */
interface WaitTimeout {
  leftMs(): number;
}

function createWaitTimeout<Tx>({ concurrentRequestPolicy: policy }: OperationDefinition<Tx>): WaitTimeout {
  const until = performance.now() + (policy?.kind === 'wait' ? policy.maxMs : 0);
  return { leftMs: () => until - performance.now() };
}

function stillRunning<Tx>(operation: OperationDefinition<Tx>, operationId: string): Outcome {
  if (operation.concurrentRequestPolicy?.kind !== 'accepted') return inProgress(operation, operationId);
  return { kind: 'pending', operationId, status: 'in_progress' };
}
