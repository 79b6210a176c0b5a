import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

/**
 * What makes two requests the same command: the validated, normalised input (after defaults), the operation and its API
 * version. The raw body, the key and transport metadata are not part of it.
 */
export interface Command {
  readonly operation: string;
  readonly apiVersion: string;
  readonly input: unknown;
}

export type Fingerprint = (command: Command) => string;

/** SHA-256 of RFC 8785 canonical JSON, so field order, whitespace and `10.0` instead of `10` make no difference. */
export const sha256OfCanonicalJson: Fingerprint = (command) => {
  const canonical = canonicalize({
    operation: command.operation,
    apiVersion: command.apiVersion,
    input: command.input,
  });
  if (canonical === undefined) throw new TypeError('The command cannot be written as JSON.');
  return createHash('sha256').update(canonical, 'utf8').digest('hex');
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

export function fingerprintOf(versions: FingerprintVersions, version: number, command: Command): string {
  const fingerprint = versions.byVersion[version];
  if (!fingerprint) throw new Error(`Fingerprint version ${version} is not defined.`);
  return fingerprint(command);
}

/** If the version is not defined any more, equality cannot be proven, so the command counts as a different one. */
export function isSameCommand(
  versions: FingerprintVersions,
  record: { readonly fingerprint: string; readonly fingerprintVersion: number },
  command: Command,
): boolean {
  return versions.byVersion[record.fingerprintVersion]?.(command) === record.fingerprint;
}
