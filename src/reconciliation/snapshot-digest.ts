import { createHash } from 'node:crypto';
import type { ProviderSnapshot } from '#payments/index.ts';

/**
 * Two snapshots with one digest are the same evidence. All ways of not responding are equal; refusals differ by their
 * code.
 */
export function digestOf({ state, code, facts }: ProviderSnapshot): string {
  const { id, chargeId, amountMinor, currency, reference, declineCode } = facts;
  const refusalCode = state === 'refused' ? code : null;
  const parts = [state, refusalCode, id, chargeId, amountMinor, currency, reference, declineCode];
  return createHash('sha256')
    .update(JSON.stringify(parts.map((part) => part ?? null)))
    .digest('hex');
}
