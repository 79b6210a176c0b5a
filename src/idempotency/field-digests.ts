import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Command } from './fingerprint.ts';
import type { Scope } from './record.ts';

/** The name of each field of a command, and a digest of its value. */
export type FieldDigests = Readonly<Record<string, string>>;

/** Enough to tell two values apart, too little to be a fingerprint of anything. */
const digestLength = 16;
/** More fields than any command has. What is beyond is digested together, so that nobody chooses the size of the row. */
const maxFields = 64;
const rest = '…';

/**
 * Lets an operator see which fields of a misused key differed, without anybody having kept the values. An amount has so
 * few possible values that a plain digest of it could be looked up; the salt is the scope, whose key is shown nowhere in
 * full, so that equal values of two records do not look equal either.
 */
export function fieldDigestsOf(scope: Scope, command: Command): FieldDigests {
  const salt = hash('sha256', JSON.stringify([scope.tenantId, scope.operation, scope.key]));
  const fields = fieldsOf(command.input, '');
  const named = fields.slice(0, maxFields);
  const beyond = fields.slice(maxFields);
  const all: [string, unknown][] = [
    ['(API version)', command.apiVersion],
    ...named,
    ...(beyond.length > 0 ? [[rest, beyond] as [string, unknown]] : []),
  ];
  return Object.fromEntries(all.map(([name, value]) => [name, digest(salt, name, value)]));
}

/** Sorted names. Undefined: the record is older than digests are, so nobody can tell. */
export function differingFields(
  stored: FieldDigests | undefined,
  sent: FieldDigests,
): readonly string[] | undefined {
  if (!stored) return undefined;
  const names = new Set([...Object.keys(stored), ...Object.keys(sent)]);
  return [...names].filter((name) => stored[name] !== sent[name]).sort();
}

/** Objects are entered, lists are one value. What is left out, and what is undefined, is no field. */
function fieldsOf(value: unknown, path: string): [string, unknown][] {
  if (value === undefined) return [];
  if (!isPlainObject(value)) return [[path || '(input)', value]];
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, inner]) => fieldsOf(inner, path ? `${path}.${name}` : name));
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function digest(salt: string, name: string, value: unknown): string {
  return hash('sha256', `${salt}${canonicalize([name, value])}`).slice(0, digestLength);
}
