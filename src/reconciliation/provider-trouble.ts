import type { Reconciled } from './reconcile.ts';

/** Only these count as a failure of the provider. */
const providerTrouble = /^provider_(unreachable|timeout|no_response|rate_limited|http_5\d\d)$/;

export function isProviderTrouble(found: Reconciled): boolean {
  return found.kind === 'still_unknown' && providerTrouble.test(found.code);
}

/** A list that lacks what exists proves nothing about what else it lacks. */
export class ProviderLacksBooked extends Error {
  override readonly name = 'ProviderLacksBooked';

  constructor(list: string, id: string) {
    super(
      `The provider's list of ${list} does not have ${id}, which is booked here. It is not complete, or the API key is the key of another account; this is tried again.`,
    );
  }
}

/** The provider was asked and gave no definitive response. The caller has to ask again later. */
export class ProviderUnresponsive extends Error {
  override readonly name = 'ProviderUnresponsive';

  readonly code: string;
  /** It was refused as a whole, such as for want of a permission. */
  readonly isRefusal: boolean;

  constructor(code: string, isRefusal = false) {
    super(`The provider gave no definitive response (${code}); this is tried again.`);
    this.code = code;
    this.isRefusal = isRefusal;
  }
}
