import type { Reconciled } from './reconcile.ts';

/** Only these count as a failure of the provider. */
const providerTrouble = /^provider_(unreachable|timeout|no_response|rate_limited|http_5\d\d)$/;

export function isProviderTrouble(found: Reconciled): boolean {
  return found.kind === 'still_unknown' && providerTrouble.test(found.code);
}

/** The provider was asked and gave no definitive response. The caller has to ask again later. */
export class ProviderUnresponsive extends Error {
  override readonly name = 'ProviderUnresponsive';

  constructor(code: string) {
    super(`The provider gave no definitive response (${code}); this is tried again.`);
  }
}
