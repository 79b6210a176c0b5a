import type { OperationRecord } from './record.ts';

export type Classification =
  | 'misuse'
  | 'expired'
  | 'replay'
  | 'in_progress'
  | 'lease_expired'
  | 'unknown'
  | 'reclaim';

/**
 * What a request that finds an existing record is entitled to. Another principal gets the same response as a different
 * command, before the status is considered: the response must not reveal what state the record is in.
 */
export function classify(
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
