import { shortestKeyPrefix } from './operation-filter.ts';

/** What a thing somebody typed may be the name of. Each is one look into an index; several at once are fine. */
export interface SearchTerms {
  readonly uuid?: string;
  readonly intentId?: string;
  readonly chargeId?: string;
  readonly refundId?: string;
  readonly email?: string;
  /** The beginning of a reference; order numbers are also found in lower case. */
  readonly references?: readonly string[];
  readonly key?: string;
}

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

/**
 * People paste what they have: with spaces around it, in quotes as the key header has it, an order number in lower case
 * because it came over the phone.
 */
export function readSearch(typed: string): SearchTerms {
  const text = typed
    .trim()
    .replace(/^"(.*)"$/, '$1')
    // The pay page has shoppers quote the order's number and the beginning of the key; the number is enough.
    .replace(/ · [0-9a-f]{8}$/, '');
  if (text === '') return {};
  if (/^pi_\w+$/.test(text)) return { intentId: text };
  if (/^(ch|py)_\w+$/.test(text)) return { chargeId: text };
  if (/^(re|pyr)_\w+$/.test(text)) return { refundId: text };
  return {
    ...(uuid.test(text) && { uuid: text.toLowerCase() }),
    ...(/^[^@\s]+@[^@\s]+$/.test(text) && { email: text.toLowerCase() }),
    ...(text.length >= shortestKeyPrefix && { key: text }),
    references: [...new Set([text, text.toUpperCase()])],
  };
}
