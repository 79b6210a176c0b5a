/**
 * Sections 2 and 3 of the contract as one plain object per key: the reference for the real engine in `model.db.test.ts`.
 * It was written from the contract's tables and imports nothing, so that it cannot share a mistake with the engine.
 */
export type RecoveryPoint = 'claimed' | 'prepared' | 'sent' | 'finished';

export interface ModelRecord {
  readonly command: string;
  readonly principal: string;
  status: 'in_progress' | 'completed' | 'failed_retryable' | 'unknown' | 'expired';
  attempt: number;
  point: RecoveryPoint;
  leaseExpired: boolean;
  /** Undefined once the body is purged. */
  response: string | undefined;
  readonly events: string[];
}

/** The right of one owner to execute. `point` is what the owner knows: other writers do not inform it. */
export interface Grant {
  readonly key: number;
  readonly record: ModelRecord;
  readonly attempt: number;
  point: RecoveryPoint;
}

/** How a scripted handler ends. */
export type Ending = 'completed' | 'failed_retryable' | 'unknown' | 'throws';

export function createModel() {
  const records = new Map<number, ModelRecord>();

  function transition(
    record: ModelRecord,
    to: ModelRecord['status'],
    point: RecoveryPoint = record.point,
  ): void {
    record.events.push(`${record.status} → ${to} #${record.attempt} @${point}`);
    Object.assign(record, { status: to, point, leaseExpired: false });
  }

  function grant(key: number, record: ModelRecord): Grant {
    return { key, record, attempt: record.attempt, point: record.point };
  }

  function claim(key: number, command: string, principal: string): Grant | string {
    const record = records.get(key);
    if (!record) {
      const inserted: ModelRecord = {
        command,
        principal,
        status: 'in_progress',
        attempt: 1,
        point: 'claimed',
        leaseExpired: false,
        response: undefined,
        events: ['nothing → in_progress #1 @claimed'],
      };
      records.set(key, inserted);
      return grant(key, inserted);
    }
    if (record.principal !== principal) return 'idempotency_key_reused';
    if (record.status === 'expired') return 'idempotency_key_expired';
    if (record.command !== command) return 'idempotency_key_reused';
    expireLease(key);
    if (record.status === 'in_progress') return 'idempotency_key_in_progress';
    if (record.status !== 'failed_retryable') return storedResult(record);
    record.attempt += 1;
    transition(record, 'in_progress');
    return grant(key, record);
  }

  /** An expired lease never allows an execution: the outcome becomes unknown, or the key is released if nothing was sent. */
  function expireLease(key: number): void {
    const record = records.get(key);
    if (record?.status !== 'in_progress' || !record.leaseExpired) return;
    transition(record, record.point === 'sent' ? 'unknown' : 'failed_retryable');
  }

  function storedResult(record: ModelRecord | undefined): string {
    if (record?.status === 'unknown') return 'operation_unknown';
    if (record?.status === 'completed') {
      return record.response ? `replay ${record.response}` : 'idempotency_key_expired';
    }
    return 'idempotency_key_in_progress';
  }

  function isCurrent({ key, record, attempt }: Grant): boolean {
    return records.get(key) === record && record.attempt === attempt;
  }

  /** With the current recovery point it is an extension of the lease. */
  function phase(owner: Grant, point: RecoveryPoint): 'written' | 'refused' {
    const { record } = owner;
    if (!mayWrite(owner)) return 'refused';
    if (record.point !== point) transition(record, 'in_progress', point);
    record.leaseExpired = false;
    owner.point = point;
    return 'written';
  }

  function mayWrite(owner: Grant): boolean {
    return isCurrent(owner) && owner.record.status === 'in_progress';
  }

  /** A late owner may still complete its operation while the outcome is unknown. It cannot release it. */
  function mayComplete(owner: Grant): boolean {
    return isCurrent(owner) && ['in_progress', 'unknown'].includes(owner.record.status);
  }

  function end(owner: Grant, ending: Ending, response: string): string {
    const thrown = owner.point === 'sent' ? 'unknown' : 'failed_retryable';
    const to = ending === 'throws' ? thrown : ending;
    const { record } = owner;
    const allowed = to === 'completed' ? mayComplete(owner) : mayWrite(owner);
    if (!allowed) return resultOfSuperseded(owner);
    if (to === 'completed') {
      transition(record, to, 'finished');
      record.response = response;
      return `response ${response}`;
    }
    transition(record, to, ending === 'failed_retryable' ? 'claimed' : owner.point);
    return to === 'unknown' ? 'operation_unknown' : 'operation_failed';
  }

  /** The caller of a superseded owner gets the stored response of its own record, or a 409 if there is none. */
  function resultOfSuperseded({ key, record }: Grant): string {
    return storedResult(records.get(key) === record ? record : undefined);
  }

  /** Evidence, brought by a reconciler that read the record at this attempt. */
  function resolve(
    key: number,
    attempt: number,
    to: 'completed' | 'failed_retryable',
    response: string,
  ): boolean {
    const record = records.get(key);
    const allowed = to === 'completed' ? ['in_progress', 'unknown'] : ['unknown'];
    if (record?.attempt !== attempt || !allowed.includes(record.status)) return false;
    transition(record, to, to === 'completed' ? 'finished' : 'claimed');
    if (to === 'completed') record.response = response;
    return true;
  }

  function reap(key: number, step: 'purge_body' | 'expire' | 'delete'): void {
    const record = records.get(key);
    if (!record) return;
    if (step === 'purge_body') record.response = undefined;
    if (step === 'expire' && ['completed', 'failed_retryable'].includes(record.status)) {
      transition(record, 'expired');
    }
    if (step === 'delete' && record.status === 'expired') records.delete(key);
  }

  function letLeaseExpire(key: number): void {
    const record = records.get(key);
    if (record?.status === 'in_progress') record.leaseExpired = true;
  }

  return { records, claim, expireLease, phase, mayWrite, mayComplete, end, resolve, reap, letLeaseExpire };
}

export type Model = ReturnType<typeof createModel>;
