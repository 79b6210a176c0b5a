import { minKeyPrefixLength } from './operation-filter.ts';

/** What a search text may refer to. Each term is one index lookup; a text may give several. */
export interface SearchTerms {
  readonly uuid?: string;
  readonly intentId?: string;
  readonly chargeId?: string;
  readonly refundId?: string;
  readonly email?: string;
  /** Prefixes of a reference: as typed and in upper case, because order numbers are in upper case. */
  readonly references?: readonly string[];
  readonly key?: string;
}

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

/**
 * Accepts a text with spaces around it, a key in quotes as the header has it, and an order number in lower case, such as
 * one that was noted on the phone.
 */
export function readSearch(typed: string): SearchTerms {
  const text = typed
    .trim()
    .replace(/^"(.*)"$/, '$1')
    // The pay page asks shoppers to quote the order's number and the beginning of the key; the number is enough.
    .replace(/ · [0-9a-f]{8}$/, '');
  if (text === '') return {};
  if (/^pi_\w+$/.test(text)) return { intentId: text };
  if (/^(ch|py)_\w+$/.test(text)) return { chargeId: text };
  if (/^(re|pyr)_\w+$/.test(text)) return { refundId: text };
  return {
    ...(uuid.test(text) && { uuid: text.toLowerCase() }),
    ...(/^[^@\s]+@[^@\s]+$/.test(text) && { email: text.toLowerCase() }),
    ...(text.length >= minKeyPrefixLength && { key: text }),
    references: [...new Set([text, text.toUpperCase()])],
  };
}
