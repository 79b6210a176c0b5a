import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';

/**
 * What makes two requests the same command: the validated, normalised input (after defaults), the operation and its API
 * version. The raw body, the key and transport metadata are not part of it.
 */
export interface Command {
  readonly operation: string;
  readonly apiVersion: string;
  /** As `canonicalInput` returns it. */
  readonly input: unknown;
}

export type Fingerprint = (command: Command) => string;

/** The command has a value of which canonical JSON has no form, or an empty one that another value has as well. */
export class NotCanonical extends Error {
  override readonly name = 'NotCanonical';

  constructor(path: string) {
    super(
      `${path || 'input'}: must be well-formed text, a finite number, true, false, null, a list or a plain object with such names`,
    );
  }
}

/** Writes a value that JSON has no form for as one that it has, such as a router's transformer does. */
export type WriteValue = (value: unknown) => unknown;

/** Far deeper than any command. A value that contains itself has no end, and ends here. */
const maxDepth = 100;

/**
 * The input with JSON values only. A Map, a Set and a File would be written as `{}`, and two commands would have one
 * fingerprint: they are written by `write`, or refused.
 */
export function canonicalInput(input: unknown, write?: WriteValue): unknown {
  return canonical(input, [], write);
}

function canonical(value: unknown, path: readonly string[], write: WriteValue | undefined): unknown {
  if (value === null || ['boolean', 'undefined'].includes(typeof value)) return value;
  if (typeof value === 'string' && value.isWellFormed()) return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (path.length > maxDepth) throw new NotCanonical(path.slice(0, 3).join('.'));
  const inner = (name: string, field: unknown) => canonical(field, [...path, name], write);
  if (Array.isArray(value)) {
    // A field without a value is left out, but a list has a place for it, where JSON would write null.
    const item = (index: number, one: unknown) =>
      one === undefined ? written(one, [...path, String(index)]) : inner(String(index), one);
    return Array.from(value, (one, index) => item(index, one));
  }
  // JSON would write null for a Date that is none.
  if (typeof value === 'object' && !(value instanceof Date && Number.isNaN(value.getTime()))) {
    // A Date, for instance, is what it says it is.
    if ('toJSON' in value && typeof value.toJSON === 'function')
      return canonical(value.toJSON(), path, write);
    const prototype = Object.getPrototypeOf(value);
    if (prototype === Object.prototype || prototype === null) {
      if (!Object.keys(value).every(isStorableName)) throw new NotCanonical(path.join('.'));
      return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, inner(name, field)]));
    }
  }
  return written(value, path);

  function written(unwritten: unknown, at: readonly string[]): unknown {
    if (!write || typeof unwritten === 'string') throw new NotCanonical(at.join('.'));
    // What the transformer leaves as it is, such as a File, has no form there either.
    return canonical(write(unwritten), at, undefined);
  }
}

/** Names of fields are stored with the record, and PostgreSQL stores no NUL. */
function isStorableName(name: string): boolean {
  return name.isWellFormed() && !name.includes('\0');
}

/** SHA-256 of RFC 8785 canonical JSON, so field order, whitespace and `10.0` instead of `10` make no difference. */
export const sha256OfCanonicalJson: Fingerprint = (command) => {
  const canonical = canonicalize({
    operation: command.operation,
    apiVersion: command.apiVersion,
    input: command.input,
  });
  if (canonical === undefined) throw new TypeError('The command cannot be written as JSON.');
  return hash('sha256', canonical);
};

/**
 * Definitions by version. A record is compared by the version that made it, so that a deploy that changes the definition
 * does not turn retries of older records into misuse. Old versions stay until no record uses them.
 */
export interface FingerprintVersions {
  readonly current: number;
  readonly byVersion: Readonly<Record<number, Fingerprint>>;
}

export const defaultFingerprints: FingerprintVersions = {
  current: 1,
  byVersion: { 1: sha256OfCanonicalJson },
};

/** By the current version. */
export function fingerprintOf({ current, byVersion }: FingerprintVersions, command: Command): string {
  const fingerprint = byVersion[current];
  if (!fingerprint) throw new Error(`Fingerprint version ${current} is not defined.`);
  return fingerprint(command);
}

/** Made by a later version of this program, which is being deployed, or was rolled back: its commands cannot be compared here. */
export function isOfLaterVersion(
  { current, byVersion }: FingerprintVersions,
  { fingerprintVersion }: { readonly fingerprintVersion: number },
): boolean {
  return fingerprintVersion > current && !byVersion[fingerprintVersion];
}

/** If the version is not defined any more, equality cannot be proven, so the command counts as a different one. */
export function isSameCommand(
  versions: FingerprintVersions,
  record: { readonly fingerprint: string; readonly fingerprintVersion: number },
  sent: { readonly command: Command; readonly fingerprint: string },
): boolean {
  if (record.fingerprintVersion === versions.current) return record.fingerprint === sent.fingerprint;
  return versions.byVersion[record.fingerprintVersion]?.(sent.command) === record.fingerprint;
}
