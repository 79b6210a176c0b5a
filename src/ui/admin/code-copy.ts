import { operationNames } from '#payments/operations/copy.ts';
import { ownText } from './operation-copy.ts';

/** Texts for the codes of the engine, the provider adapter and the reconciler. An operation's own codes are in its copy. */
const common = new Map<string, string>([
  ['provider_timeout', 'The provider did not answer in time'],
  ['provider_no_response', 'The connection broke before an answer came'],
  ['provider_response_invalid', 'The provider’s answer was about something else, or not readable'],
  ['provider_unreachable', 'The provider could not be reached'],
  ['provider_rate_limited', 'The provider said: too many requests'],
  ['provider_unavailable', 'The provider could not be reached; no money moved'],
  ['comparing_with_provider', 'The database was being compared with the provider; nothing was sent'],
  ['refund_closed', 'It was closed, because it was no longer wanted; nothing was sent'],
  ['refund_overtaken', 'Another refund was made first; nothing was sent'],
  ['refund_takes_second_person', 'It takes a second person; nothing was sent'],
  ['provider_rejected', 'The provider refused the request; no money moved'],
  ['provider_succeeded', 'The provider has carried it out'],
  ['contradictory', 'What the provider did does not match the request'],
  ['operator_override', 'Decided by operators; the provider did not confirm it'],
  ['resource_missing', 'The provider has no record of it'],
  ['replay_window_over', 'The time for retries is over'],
  ['lease_expired', 'The process that handled it stopped'],
  ['unexpected_error', 'Something unexpected went wrong'],
  ['operation_failed', 'It failed before it had any effect'],
  ['idempotency_store_unavailable', 'Another change had the same row for too long; nothing was sent'],
  ['claimed', 'Claimed'],
  ['retried', 'Retried with the same key'],
  ['phase', 'Continued'],
  ['lease_extended', 'Still in progress'],
  ['reconciled', 'Reconciled with the provider'],
  ['returned', 'Responded'],
]);

/** Where the kind of operation is not known, the text fits every kind that has the code. */
export function codeCopy(code: string, operation?: string | null): string {
  const status = /^provider_http_(\d+)$/.exec(code)?.[1];
  if (status) return `The provider answered with error ${status}`;
  const own = operation ? ownText(operation, 'causes', code) : undefined;
  return own ?? common.get(code) ?? (operation ? undefined : ofAnyKind(code)) ?? inWords(code);
}

/** Most of the bank's codes for a decline have no text of ours. */
function inWords(code: string): string {
  const words = code.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function ofAnyKind(code: string): string | undefined {
  return operationNames.map((name) => ownText(name, 'causes', code)).find((text) => text !== undefined);
}
