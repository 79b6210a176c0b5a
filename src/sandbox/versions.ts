// The version that stripe-node 23.1 is pinned to, and that of the account: events have it unless their endpoint has another.
export const API_VERSION = '2026-10-28.endive';

// This version replaced payment_method_types by allowed_payment_method_types. Dates sort as text.
const WITHOUT_PAYMENT_METHOD_TYPES = '2026-09-30';

export function hasPaymentMethodTypes(version: string): boolean {
  return version < WITHOUT_PAYMENT_METHOD_TYPES;
}

/** A date, and since 2024 the name of a release. Which dates exist is not checked. */
export function isVersion(text: string): boolean {
  return /^20\d\d-\d\d-\d\d(\.[a-z]+)?$/.test(text);
}
