import type { OperationRecord } from './record.ts';

export type Judgement =
  | 'misuse'
  | 'expired'
  | 'replay'
  | 'in_progress'
  | 'lease_expired'
  | 'unknown'
  | 'reclaim';

/**
 * What a request that meets an existing record is entitled to. Another principal is told the same as a different
 * command, before anything else is looked at: the answer must not reveal what state the record is in.
 */
export function judge(
  record: OperationRecord,
  request: { readonly principal: string; readonly sameCommand: boolean },
): Judgement {
  if (record.principal !== request.principal) return 'misuse';
  if (record.status === 'expired') return 'expired';
  if (!request.sameCommand) return 'misuse';
  switch (record.status) {
    case 'completed':
      return record.answer ? 'replay' : 'expired';
    case 'in_progress':
      return record.leaseExpired ? 'lease_expired' : 'in_progress';
    case 'unknown':
      return 'unknown';
    case 'failed_retryable':
      return 'reclaim';
  }
}
