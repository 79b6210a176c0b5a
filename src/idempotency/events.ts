import type { Verdict } from './operation.ts';
import type { OperationRecord, Status } from './record.ts';

/** Events for metrics and logs. They contain no key, body or principal. */
export type EngineEvent =
  /** A request may execute, or got the result that is stored for it. Without an id if it was refused the record. */
  | ({ readonly kind: 'reserve'; readonly outcome: ReservationOutcome } & EventContext<string | undefined>)
  /** An owner wrote its verdict. */
  | ({
      readonly kind: 'attempt_ended';
      readonly verdict: Verdict<unknown, never>['kind'];
      readonly cause: string;
    } & EventContext)
  /** A request found an expired lease, and moved the record to this status. */
  | ({ readonly kind: 'lease_expired'; readonly to: Status } & EventContext)
  /** A superseded owner tried to write. */
  | ({ readonly kind: 'stale_write_refused' } & EventContext)
  | ({ readonly kind: 'store_error'; readonly error: unknown } & EventContext<string | undefined>)
  | ({ readonly kind: 'handler_error'; readonly error: unknown } & EventContext);

interface EventContext<Id = string> {
  readonly operation: string;
  readonly tenantId: string;
  readonly operationId: Id;
}

export type ReservationOutcome =
  | 'created'
  | 'replay'
  | 'in_progress'
  | 'key_misuse'
  | 'failed_retry'
  | 'unknown'
  | 'expired';

export type EngineObserver = (event: EngineEvent) => void;

export function eventContextOf({ operation, tenantId, id }: OperationRecord): EventContext {
  return { operation, tenantId, operationId: id };
}
