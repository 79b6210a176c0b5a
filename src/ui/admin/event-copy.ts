import { codeCopy } from './code-copy.ts';
import { lowerFirst } from './timeline-copy.ts';

const plain = new Map([
  ['about nothing of ours', 'About nothing of ours'],
  ['nothing to learn', 'Said nothing new'],
  ['exception', 'Money for an order that was over: see late truths'],
  ['exception_refunded', 'The late money was sent back'],
  ['refund_failed', 'What was paid back came back: see late truths'],
  ['nothing_to_do: completed', 'Was settled already'],
  ['nothing_to_do: failed_retryable', 'Was released already'],
  ['nothing_to_do: in_progress', 'Was still being worked on'],
  ['nothing_to_do: missing', 'The record is no longer kept'],
]);

const verbs = new Map([
  ['completed', 'Settled it'],
  ['released', 'Released the key'],
  ['still_unknown', 'Still unknown'],
]);

/** The outcome of a provider event, as the worker recorded it. */
export function eventOutcomeCopy(outcome: string, operation?: string | null): string {
  const [kind = '', code] = outcome.split(': ');
  const verb = verbs.get(kind);
  if (verb && code) return `${verb}: ${lowerFirst(codeCopy(code, operation))}`;
  return plain.get(outcome) ?? outcome.replaceAll('_', ' ');
}
