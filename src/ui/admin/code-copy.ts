import { operationNames } from '#payments/operations/copy.ts';
import { ownText } from './operation-copy.ts';

/** Texts for the codes of the engine, the provider adapter and the reconciler. An operation's own codes are in its copy. */
const common = new Map<string, string>([
  ['provider_timeout', 'The provider did not answer in time'],
  ['provider_no_response', 'The connection broke before an answer came'],
  ['provider_unreachable', 'The provider could not be reached'],
  ['provider_rate_limited', 'The provider said: too many requests'],
  ['provider_unavailable', 'The provider could not be reached; no money moved'],
  ['provider_rejected', 'The provider refused the request; no money moved'],
  ['provider_succeeded', 'The provider has carried it out'],
  ['contradictory', 'The provider moved other money than was asked for'],
  ['operator_override', 'Decided by people, without the provider’s word'],
  ['resource_missing', 'The provider knows of no such thing'],
  ['replay_window_over', 'The time for retries is over'],
  ['lease_expired', 'The process that worked on it went away'],
  ['unexpected_error', 'Something unexpected went wrong'],
  ['operation_failed', 'It failed before it had any effect'],
  ['claimed', 'Claimed'],
  ['retried', 'Retried with the same key'],
  ['phase', 'Went on'],
  ['lease_extended', 'Still alive'],
  ['reconciled', 'Reconciled with the provider'],
  ['returned', 'Answered'],
]);

/** Where the kind of operation is not known, the text fits every kind that has the code. */
export function codeCopy(code: string, operation?: string | null): string {
  const status = /^provider_http_(\d+)$/.exec(code)?.[1];
  if (status) return `The provider answered with error ${status}`;
  const own = operation ? ownText(operation, 'causes', code) : undefined;
  return own ?? common.get(code) ?? (operation ? undefined : ofAnyKind(code)) ?? code.replaceAll('_', ' ');
}

function ofAnyKind(code: string): string | undefined {
  return operationNames.map((name) => ownText(name, 'causes', code)).find((text) => text !== undefined);
}
