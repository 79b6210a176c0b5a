import { describe, expect, test } from 'vitest';
import { keyRules, readKeyHeader } from './key.ts';

const uuid = '550e8400-e29b-41d4-a716-446655440000';

describe('reading the Idempotency-Key header', () => {
  test.each([
    ['a bare token', uuid],
    ['the quoted string of the IETF draft', `"${uuid}"`],
    ['surrounding white space', `  ${uuid} `],
    ['a one-element list, as Node hands over headers', [uuid]],
  ])('%s means the same key', (_, header) => {
    expect(readKeyHeader(header)).toEqual({ kind: 'key', key: uuid });
  });

  test.each([null, undefined, '', '   '])('%j is a missing key, not a short one', (header) => {
    expect(readKeyHeader(header)).toEqual({ kind: 'missing' });
  });

  test.each([
    ['twice', [uuid, uuid]],
    ['twice', `${uuid}, ${uuid}`],
    ['twice', `"${uuid}", "${uuid}"`],
    ['malformed', `"${uuid}`],
    ['malformed', `"${uuid}";a=1`],
    ['malformed', 'with spaces in the key'],
    ['malformed', 'schlüssel-mit-umlaut'],
    ['malformed', `${uuid}\n`],
    ['malformed', `\u00a0${uuid}`],
    ['malformed', `\ufeff"${uuid}"`],
    ['too_short', 'abc-123'],
    ['too_long', 'x'.repeat(256)],
    ['looks_like_email', 'jane.doe@shop.example.com'],
    ['looks_like_phone', '+49-170-123456789'],
    ['looks_like_card', '4242424242424242'],
    ['looks_like_card', '4242-4242-4242-4242'],
  ] as const)('breaking the rule "%s" is reported as that rule: %j', (rule, header) => {
    expect(readKeyHeader(header)).toEqual({ kind: 'invalid', rule });
  });

  test('every rule has a message of its own', () => {
    expect(new Set(Object.values(keyRules)).size).toBe(Object.keys(keyRules).length);
  });

  test.each(['x'.repeat(16), 'x'.repeat(255)])('the limits themselves are allowed', (header) => {
    expect(readKeyHeader(header).kind).toBe('key');
  });
});
