import { parseItem } from 'structured-headers';

/**
 * What an Idempotency-Key header says. Both forms mean the same key: the quoted string of the IETF draft (an RFC 8941
 * Item), and the bare token that Stripe and most clients use.
 */
export type KeyResult =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'invalid'; readonly rule: KeyRule };

export const keyRules = {
  twice: 'The Idempotency-Key header was sent more than once; send exactly one.',
  malformed: 'The key is malformed: use printable ASCII without spaces, bare or as one quoted string.',
  too_short: 'The key is too short: it needs at least 16 characters; a UUID is a good key.',
  too_long: 'The key is too long: at most 255 characters are allowed.',
  looks_like_email: 'The key looks like an e-mail address; keys must not carry personal data. Use a UUID.',
  looks_like_phone: 'The key looks like a phone number; keys must not carry personal data. Use a UUID.',
  looks_like_card: 'The key looks like a card number; never send card data in a key. Use a UUID.',
} as const;
export type KeyRule = keyof typeof keyRules;

const minLength = 16;
const maxLength = 255;
const notPrintable = /[^\t\x20-\x7e]/;
/** Visible ASCII except quote, backslash and comma. A comma means that a proxy has joined two headers into one. */
const bareKey = /^[\x21\x23-\x2b\x2d-\x5b\x5d-\x7e]+$/;

export function readKeyHeader(header: string | readonly string[] | null | undefined): KeyResult {
  if (header === null || header === undefined) return { kind: 'missing' };
  if (typeof header !== 'string') {
    if (header.length > 1) return { kind: 'invalid', rule: 'twice' };
    return readKeyHeader(header[0]);
  }
  // Before `trim`, which takes away control characters and spaces of other alphabets too.
  if (notPrintable.test(header)) return { kind: 'invalid', rule: 'malformed' };
  const text = header.trim();
  if (text === '') return { kind: 'missing' };
  return text.startsWith('"') ? readQuoted(text) : readBare(text);
}

function readBare(text: string): KeyResult {
  if (text.includes(',')) return { kind: 'invalid', rule: 'twice' };
  if (!bareKey.test(text)) return { kind: 'invalid', rule: 'malformed' };
  return checkKey(text);
}

function readQuoted(text: string): KeyResult {
  try {
    const [value, parameters] = parseItem(text);
    if (typeof value !== 'string' || parameters.size > 0) return { kind: 'invalid', rule: 'malformed' };
    return bareKey.test(value) ? checkKey(value) : { kind: 'invalid', rule: 'malformed' };
  } catch {
    // Two quoted values that a proxy has joined get the message that helps.
    return { kind: 'invalid', rule: /^"[^"]*"\s*,/.test(text) ? 'twice' : 'malformed' };
  }
}

/** The rules for the key itself, for callers that have it as a value. */
export function checkKey(key: string): KeyResult {
  if (key.length < minLength) return checkPersonalData(key) ?? { kind: 'invalid', rule: 'too_short' };
  if (key.length > maxLength) return { kind: 'invalid', rule: 'too_long' };
  return checkPersonalData(key) ?? { kind: 'key', key };
}

function checkPersonalData(key: string): KeyResult | undefined {
  if (/^[^@]+@[^@]+\.[a-z]{2,}$/i.test(key)) return { kind: 'invalid', rule: 'looks_like_email' };
  const digits = key.replaceAll(/[-.()+]/g, '');
  if (!/^\d+$/.test(digits)) return undefined;
  if (digits.length >= 13 && digits.length <= 19 && passesLuhn(digits)) {
    return { kind: 'invalid', rule: 'looks_like_card' };
  }
  if (digits.length >= 7 && digits.length <= 15) return { kind: 'invalid', rule: 'looks_like_phone' };
  return undefined;
}

/** The checksum of card numbers. One in ten random digit strings passes too, and is refused; a UUID never is. */
function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    const doubled = i % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
