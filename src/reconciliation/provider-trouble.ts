import type { Reconciled } from './reconcile.ts';

/** What the provider is not to blame for does not count against it. */
const providerTrouble = /^provider_(unreachable|timeout|no_answer|rate_limited|http_5\d\d)$/;

export function isProviderTrouble(found: Reconciled): boolean {
  return found.kind === 'still_unknown' && providerTrouble.test(found.code);
}

/** The provider was asked and gave no word. Whoever asked keeps the question. */
export class ProviderSilent extends Error {
  override readonly name = 'ProviderSilent';

  constructor(code: string) {
    super(`The provider gave no word (${code}); this is tried again.`);
  }
}
