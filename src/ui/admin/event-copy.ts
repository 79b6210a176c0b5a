import { codeCopy } from './code-copy.ts';
import { lowerFirst } from './timeline-copy.ts';

const plain = new Map([
  ['about nothing of ours', 'Not related to this shop'],
  ['nothing to learn', 'Nothing new'],
  ['exception', 'Unexpected payment: needs a decision'],
  ['assertion_confirmed', 'Confirmed what an operator had decided'],
  ['exception_refunded', 'The unexpected payment was refunded'],
  ['dashboard_refund', 'A refund made in the provider’s dashboard was recorded'],
  ['refund_booked', 'The refund was paid after all, and is booked'],
  ['refund_failed', 'The refund came back: needs a decision'],
  ['nothing_to_do: completed', 'Already resolved'],
  ['nothing_to_do: failed_retryable', 'Already resolved: nothing happened'],
  ['nothing_to_do: in_progress', 'Still in progress'],
  ['nothing_to_do: missing', 'The record is no longer kept'],
]);

const results = new Map([
  ['completed', 'Resolved'],
  ['released', 'Resolved'],
  ['still_unknown', 'Still unknown'],
]);

/** The outcome of a provider event, as the worker recorded it. */
export function eventOutcomeCopy(outcome: string, operation?: string | null): string {
  const [kind = '', code] = outcome.split(': ');
  const result = results.get(kind);
  if (result && code) return `${result}: ${lowerFirst(codeCopy(code, operation))}`;
  return plain.get(outcome) ?? outcome.replaceAll('_', ' ');
}
