import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

/**
 * What makes two requests the same command: the validated, normalised input (after defaults), the operation and
 * its API version. Never the raw body, the key, or transport metadata.
 */
export interface Command {
  readonly operation: string;
  readonly apiVersion: string;
  readonly input: unknown;
}

export type Fingerprint = (command: Command) => string;

/** RFC 8785 canonical JSON, SHA-256. Field order, whitespace and `10.0` vs `10` do not survive it. */
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
 * Definitions by version. A record is always compared by the version that made it, so a deploy that changes the
 * definition does not turn yesterday's retries into misuse. Old versions stay until no record uses them.
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

/** A version that nobody remembers can prove nothing: such a record is never taken for the same command. */
export function isSameCommand(
  versions: FingerprintVersions,
  record: { readonly fingerprint: string; readonly fingerprintVersion: number },
  command: Command,
): boolean {
  return versions.byVersion[record.fingerprintVersion]?.(command) === record.fingerprint;
}
