import { hash } from 'node:crypto';
import type { OperationRef, Scope } from './record.ts';

/**
 * The id of an operation, derived from its scope. A record that is lost by an
 * asynchronous failover or a restored backup gets the same id when it is claimed again, and so do all identities that are
 * derived from it downstream. The provider then recognises the second request as the first.
 */
export function operationIdOf({ tenantId, operation, key }: Scope): string {
  return derivedUuid(['paidonce operation', tenantId, operation, key]);
}

export function operationRefOf(scope: Scope): OperationRef {
  return { tenantId: scope.tenantId, id: operationIdOf(scope) };
}

/** A UUID (version 8 of RFC 9562) made from the SHA-256 of its parts: the same parts give the same id, everywhere. */
export function derivedUuid(parts: readonly string[]): string {
  const digest = hash('sha256', JSON.stringify(parts), 'hex');
  // The version is the first digit of the third group, and the variant (10xx) the first of the fourth.
  const variant = ((Number.parseInt(digest.charAt(15), 16) & 0x3) | 0x8).toString(16);
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(12, 15)}`,
    `${variant}${digest.slice(16, 19)}`,
    digest.slice(19, 31),
  ].join('-');
}
