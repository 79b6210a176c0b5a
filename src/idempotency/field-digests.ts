import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Command } from './fingerprint.ts';
import type { Scope } from './record.ts';

/** The name of each field of a command, and a digest of its value. */
export type FieldDigests = Readonly<Record<string, string>>;

/** 64 bits in hex: enough to distinguish two values of one field. */
const digestLength = 16;
/** More fields than a command has. The rest are digested together, so that a client cannot choose the size of the row. */
const maxFields = 64;
const otherFields = '…';

/**
 * Lets an operator see which fields differed when a key was misused, although no values are stored. An amount has so few
 * possible values that its plain digest could be guessed, so the digest is salted with the scope: the key in it is
 * displayed nowhere in full. The salt also hides that two records have equal values.
 */
export function fieldDigestsOf(scope: Scope, command: Command): FieldDigests {
  const salt = hash('sha256', JSON.stringify([scope.tenantId, scope.operation, scope.key]));
  const fields = fieldsOf(command.input, '');
  const named = fields.slice(0, maxFields);
  const beyond = fields.slice(maxFields);
  const all: [string, unknown][] = [
    ['(API version)', command.apiVersion],
    ...named,
    ...(beyond.length > 0 ? [[otherFields, beyond] as [string, unknown]] : []),
  ];
  return Object.fromEntries(all.map(([name, value]) => [name, digest(salt, name, value)]));
}

/** Sorted names. Undefined: the record was claimed before digests were stored. */
export function differingFields(
  stored: FieldDigests | undefined,
  sent: FieldDigests,
): readonly string[] | undefined {
  if (!stored) return undefined;
  const names = new Set([...Object.keys(stored), ...Object.keys(sent)]);
  return [...names].filter((name) => stored[name] !== sent[name]).sort();
}

/** One entry per leaf, named by its path; a list counts as one value. Undefined fields are left out. */
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
  // The canonical form of a plain value is its JSON. Most fields are plain, and each claim digests all of them.
  const isPlain = typeof value !== 'object' || value === null;
  const form = isPlain ? JSON.stringify([name, value]) : canonicalize([name, value]);
  return hash('sha256', `${salt}${form}`).slice(0, digestLength);
}
